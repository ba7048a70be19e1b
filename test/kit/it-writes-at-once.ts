import { chosenDriver } from './chosen-driver.js';

/** A test that needs a command to be written in the call that sends it. node-redis writes after the turn. */
export const itWritesAtOnce = chosenDriver() === 'node-redis' ? it.skip : it;
