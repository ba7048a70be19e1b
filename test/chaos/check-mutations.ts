import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { control, type Mutation, mutations } from './mutations.js';

const REGISTER = fileURLToPath(new URL('../servers/register.cjs', import.meta.url));
const MUTATE = fileURLToPath(new URL('./mutate.cjs', import.meta.url));
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Place {
  readonly id: string;
  readonly topology: string;
}

const runCaseOf = ({ id, topology }: Place, mutation?: Mutation): { status: number | null; output: string } => {
  const args = [REGISTER, RUN, '--only', id, '--topology', topology];
  const env = mutation
    ? { ...process.env, CHAOS_MUTATION: JSON.stringify(mutation), NODE_OPTIONS: `--require ${MUTATE}` }
    : process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

/** Whether the case finds a violation. */
const isFound = (what: string, place: Place, mutation?: Mutation): boolean => {
  const { status, output } = runCaseOf(place, mutation);
  const found = new RegExp(`^FAIL ${place.id} .*\\n +(.*)`, 'm').exec(output)?.[1];
  const ok = status === 1 && found !== undefined && !found.includes('the case itself failed');
  print(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${place.id} says: ${found ?? output.slice(-500)}`);
  return ok;
};

/**
 * Takes out one protection after the other, and returns the number that went unnoticed.
 * @param isWanted Whether the protection is checked for which this case must fail.
 */
export const checkMutations = (isWanted: (id: string) => boolean): number => {
  const checks = [
    ...[control].filter(({ id }) => isWanted(id)).map((place) => isFound('with a naive lock', place)),
    ...mutations
      .filter(({ caught }) => isWanted(caught.id))
      .map((mutation) => isFound(`without ${mutation.protection}`, mutation.caught, mutation)),
  ];
  const missed = checks.filter((ok) => !ok).length;
  print(`${checks.length - missed} passed, ${missed} failed`);
  return missed;
};
