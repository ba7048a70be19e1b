import { execFileSync } from 'node:child_process';

/** Runs a command, prints how long it took, and returns its output. @throws Error with its output if it fails. */
export const runTimed = (
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): string => {
  const began = performance.now();
  try {
    return execFileSync(command, args, {
      cwd,
      env: { ...process.env, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  } finally {
    const words = [command.split('/').at(-1), ...args.slice(0, 3).map((arg) => arg.split('/').at(-1))];
    console.log(`  ${words.join(' ')}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
};
