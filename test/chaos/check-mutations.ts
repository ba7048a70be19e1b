import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Mutation, mutations } from './mutations.js';

const REGISTER = fileURLToPath(new URL('../servers/register.cjs', import.meta.url));
const MUTATE = fileURLToPath(new URL('./mutate.cjs', import.meta.url));
const RUN = fileURLToPath(new URL('./run.ts', import.meta.url));

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const runCaseOf = ({ caught }: Mutation, mutation?: Mutation): { status: number | null; output: string } => {
  const args = [REGISTER, RUN, '--only', caught.id, '--topology', caught.topology];
  const env = mutation
    ? { ...process.env, CHAOS_MUTATION: JSON.stringify(mutation), NODE_OPTIONS: `--require ${MUTATE}` }
    : process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

/** Whether the case passes as things are, and finds something wrong where the protection is missing. */
const isCaught = (mutation: Mutation): boolean => {
  const { id } = mutation.caught;
  const { status, output } = runCaseOf(mutation, mutation);
  const found = new RegExp(`^FAIL ${id} .*\\n +(.*)`, 'm').exec(output)?.[1];
  const isFound = status === 1 && found !== undefined && !found.includes('the case itself failed');
  print(`${isFound ? 'ok  ' : 'FAIL'} without ${mutation.protection}, ${id} says: ${found ?? output.slice(-500)}`);
  return isFound;
};

/** Takes out one protection after the other; resolves with how many went unnoticed. */
export const checkMutations = (): number => {
  const missed = mutations.filter((mutation) => !isCaught(mutation));
  print(`${mutations.length - missed.length} passed, ${missed.length} failed`);
  return missed.length;
};
