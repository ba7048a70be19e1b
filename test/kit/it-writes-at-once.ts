import { chosenDriver } from '../servers/chosen-driver.cjs';

/** Defines a test that needs a command to be written in the call that sends it. A skipped one has the reason in its name. */
export const itWritesAtOnce = (name: string, test: () => Promise<void>): void => {
  if (chosenDriver === 'node-redis')
    it.skip(`${name} [skipped on node-redis: it writes commands after the turn]`, test);
  else it(name, test);
};
