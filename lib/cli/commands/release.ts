import type { Command } from 'commander';
import type { CommandContext } from '../command-context.js';
import { CommandFailure } from '../command-failure.js';
import { ExitCode } from '../exit-code.js';
import { withLocks } from '../open-locks.js';
import type { RedisPlace } from '../redis-place.js';

interface ReleaseOptions extends RedisPlace {
  readonly owner: string;
}

const release = (name: string, options: ReleaseOptions, { terminal, environment }: CommandContext): Promise<number> =>
  withLocks(options, environment, async (locks) => {
    const { owner } = options;
    if (!(await locks.releaseHolder(name, owner))) {
      throw new CommandFailure(`Nothing was released: "${name}" is not held by ${owner}`, ExitCode.data);
    }
    terminal.say(
      `"${name}" was released; the process of ${owner} is told now, and notices at its next renewal at the latest`,
    );
    return ExitCode.ok;
  });

export const addRelease = (program: Command, context: CommandContext): void => {
  program
    .command('release')
    .description('end the hold of one owner, and of no other')
    .argument('<name>', 'name of the lock')
    .requiredOption('--owner <id>', 'the owner, as list and show print it')
    .action((name: string, _: unknown, command: Command) =>
      context.finish(release(name, command.optsWithGlobals(), context)),
    );
};
