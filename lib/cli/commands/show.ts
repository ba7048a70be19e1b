import { type Command, Option } from 'commander';
import type { InspectedLock } from '../../inspection/inspected-lock.js';
import { globOf } from '../../keys/glob.js';
import type { Locks } from '../../module/create-locks.js';
import { printable } from '../../validation/printable.js';
import type { CommandContext } from '../command-context.js';
import { factsOf, holderColumns } from '../display/lock-texts.js';
import { tableLines } from '../display/table.js';
import type { Terminal } from '../display/terminal.js';
import { ExitCode } from '../exit-code.js';
import { withLocks } from '../open-locks.js';
import type { RedisPlace } from '../redis-place.js';

type ShownKind = 'lock' | 'semaphore' | 'latch';

interface ShowOptions extends RedisPlace {
  readonly json?: boolean;
  readonly kind: ShownKind;
}

/** All that has this name: a lock and a limit may have the same. */
const named = async (locks: Locks, name: string, kind: ShownKind): Promise<readonly InspectedLock[]> => {
  if (kind === 'semaphore') return [await locks.getSemaphore(name).inspect()];
  if (kind === 'latch') return [await locks.getCountDownLatch(name).inspect()];
  const lock = locks.getLock(name);
  const found: InspectedLock[] = [];
  // The data of each says of which kind it is.
  for await (const listed of locks.list(globOf(name))) if (listed.name === name) found.push(listed);
  return found.length > 0 ? found : [{ ...(await lock.inspect()), name }];
};

const TITLE_WIDTH = 10;

const print = (lock: InspectedLock, terminal: Terminal): void => {
  for (const [title, text] of factsOf(lock)) {
    terminal.line(`${terminal.styled('bold', title.padEnd(TITLE_WIDTH))}  ${text}`);
  }
  const { holders, holderCount, waiting } = lock;
  if (holders.length > 0) {
    terminal.line();
    terminal.table(tableLines(holders, holderColumns(holders)));
    if (holderCount > holders.length) terminal.line(`… and ${holderCount - holders.length} more`);
  }
  if (waiting.writers !== undefined) {
    terminal.line();
    terminal.table(tableLines(waiting.writers, [{ title: 'WAITING WRITER', text: ({ owner }) => printable(owner) }]));
  }
  if (waiting.order === undefined) return;
  const places = waiting.order.map(({ owner }, index) => ({ place: String(index + 1), owner: printable(owner) }));
  terminal.line();
  terminal.table(
    tableLines(places, [
      { title: 'PLACE', text: ({ place }) => place },
      { title: 'WAITING', text: ({ owner }) => owner },
    ]),
  );
};

const show = (name: string, options: ShowOptions, { terminal, environment }: CommandContext): Promise<number> =>
  withLocks(options, environment, async (locks) => {
    for (const [index, lock] of (await named(locks, name, options.kind)).entries()) {
      if (options.json === true) terminal.json(lock);
      else {
        if (index > 0) terminal.line();
        print(lock, terminal);
      }
    }
    return ExitCode.ok;
  });

export const addShow = (program: Command, context: CommandContext): void => {
  program
    .command('show')
    .description('show who holds a lock, and who waits for it')
    .argument('<name>', 'name of the lock')
    .addOption(
      new Option('--kind <kind>', 'what it is; the data of a lock, limit or permit says of which kind it is')
        .choices(['lock', 'semaphore', 'latch'])
        .default('lock'),
    )
    .option('--json', 'print one line of JSON')
    .action((name: string, _: unknown, command: Command) =>
      context.finish(show(name, command.optsWithGlobals(), context)),
    );
};
