import type { Command } from 'commander';
import type { ListedLock } from '../../inspection/inspected-lock.js';
import type { CommandContext } from '../command-context.js';
import type { RedisPlace } from '../redis-place.js';
import { LOCK_COLUMNS } from '../display/lock-texts.js';
import { tableLines } from '../display/table.js';
import { ExitCode } from '../exit-code.js';
import { withLocks } from '../open-locks.js';

interface ListCommandOptions extends RedisPlace {
  readonly json?: boolean;
}

/** In the order of their names. */
export const sortedLocks = async (locks: AsyncIterable<ListedLock>): Promise<readonly ListedLock[]> => {
  const found: ListedLock[] = [];
  for await (const lock of locks) found.push(lock);
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const list = (
  pattern: string | undefined,
  options: ListCommandOptions,
  { terminal, environment }: CommandContext,
): Promise<number> =>
  withLocks(options, environment, async (locks) => {
    const found = locks.list(pattern);
    if (options.json === true) {
      for await (const lock of found) terminal.json(lock);
      return ExitCode.ok;
    }
    const sorted = await sortedLocks(found);
    if (sorted.length > 0) terminal.table(tableLines(sorted, LOCK_COLUMNS));
    else terminal.say(pattern === undefined ? 'No lock is held' : `No lock is held whose name matches ${pattern}`);
    return ExitCode.ok;
  });

export const addList = (program: Command, context: CommandContext): void => {
  program
    .command('list')
    .description('list the locks, limits and permits that are held')
    .argument('[pattern]', 'names to list, as of SCAN: order:*')
    .option('--json', 'print one line of JSON for each, as soon as it is found')
    .action((pattern: string | undefined, _: unknown, command: Command) =>
      context.finish(list(pattern, command.optsWithGlobals(), context)),
    );
};
