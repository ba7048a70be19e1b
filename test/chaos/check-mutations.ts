import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inTurns } from './campaign/in-turns.js';
import { control, type Mutation, mutations } from './mutations.js';

const REGISTER = fileURLToPath(new URL('../servers/register.cjs', import.meta.url));
const MUTATE = fileURLToPath(new URL('./mutate.cjs', import.meta.url));
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

interface Place {
  readonly id: string;
  readonly topology: string;
}

const runCaseOf = (
  { id, topology }: Place,
  mutation?: Mutation,
): Promise<{ code: number | string | undefined; output: string }> => {
  const args = [REGISTER, RUN, '--only', id, '--topology', topology];
  const env = mutation
    ? { ...process.env, CHAOS_MUTATION: JSON.stringify(mutation), NODE_OPTIONS: `--require ${MUTATE}` }
    : process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : (error.code ?? undefined), output: stdout + stderr });
    });
  });
};

/** Whether the case finds a violation. */
const isFound = async (what: string, place: Place, mutation?: Mutation): Promise<boolean> => {
  const { code, output } = await runCaseOf(place, mutation);
  const found = new RegExp(`^FAIL ${place.id} .*\\n +(.*)`, 'm').exec(output)?.[1];
  const ok = code === 1 && found !== undefined && !found.includes('the case itself failed');
  print(`${ok ? 'ok  ' : 'FAIL'} ${what}: ${place.id} says: ${found ?? output.slice(-500)}`);
  return ok;
};

/**
 * Takes out one protection after the other, and returns the number that went unnoticed.
 * @param isWanted Whether the protection is checked for which this case must fail.
 * @param jobs How many cases run at the same time.
 */
export const checkMutations = async (isWanted: (id: string) => boolean, jobs: number): Promise<number> => {
  const controls = [control].filter(({ id }) => isWanted(id)).map((place) => () => isFound('with a naive lock', place));
  const removals = mutations
    .filter(({ caught }) => isWanted(caught.id))
    .map((mutation) => () => isFound(`without ${mutation.protection}`, mutation.caught, mutation));
  const checks = await inTurns([...controls, ...removals], jobs);
  const missed = checks.filter((ok) => !ok).length;
  print(`${checks.length - missed} passed, ${missed} failed`);
  return missed;
};
