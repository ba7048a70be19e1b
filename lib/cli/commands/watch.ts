import type { Command } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import { isPassing } from '../../errors.js';
import { seconds } from '../../events/event-log.js';
import type { ListedLock } from '../../inspection/inspected-lock.js';
import type { Locks } from '../../module/create-locks.js';
import { MAX_DURATION, parseDuration } from '../../time/duration.js';
import { printable } from '../../validation/printable.js';
import type { CommandContext } from '../command-context.js';
import { LOCK_COLUMNS } from '../display/lock-texts.js';
import { tableLines } from '../display/table.js';
import type { Terminal } from '../display/terminal.js';
import { withLocks } from '../open-locks.js';
import type { RedisPlace } from '../redis-place.js';
import { sortedLocks } from './list.js';

interface WatchOptions extends RedisPlace {
  readonly json?: boolean;
  readonly interval: string;
}

/** Locks found at one moment, or why none could be found. */
interface Look {
  readonly at: Date;
  readonly locks: readonly ListedLock[];
  readonly error?: string;
}

/** @throws LockUnavailableError if a further look cannot help, or if it is the first. */
const lookAt = async (locks: Locks, pattern: string | undefined, isFirst: boolean): Promise<Look> => {
  const at = new Date();
  try {
    return { at, locks: await sortedLocks(locks.list(pattern)) };
  } catch (error) {
    if (isFirst || !isPassing(error)) throw error;
    return { at, locks: [], error: error.message };
  }
};

const print = ({ at, locks, error }: Look, interval: number, terminal: Terminal): void => {
  const waiting = locks.reduce((sum, { waiting: { count } }) => sum + count, 0);
  const found = error === undefined ? `${locks.length} held, ${waiting} waiting` : printable(error);
  const lines = tableLines(locks, LOCK_COLUMNS);
  if (terminal.isScreen) {
    terminal.redraw(`${at.toISOString()}, every ${seconds(interval)}: ${found}`, lines);
    return;
  }
  terminal.line(`${at.toISOString()}: ${found}`);
  if (locks.length > 0) terminal.table(lines);
  terminal.line();
};

const watch = async (
  pattern: string | undefined,
  options: WatchOptions,
  { terminal, environment }: CommandContext,
): Promise<number> => {
  const interval = parseDuration(options.interval, '--interval', { min: 100, max: MAX_DURATION });
  return withLocks(options, environment, async (locks) => {
    // A signal ends it, or the end of the reader.
    for (let isFirst = true; ; isFirst = false) {
      const look = await lookAt(locks, pattern, isFirst);
      if (options.json === true) terminal.json(look);
      else print(look, interval, terminal);
      await pause(interval);
    }
  });
};

export const addWatch = (program: Command, context: CommandContext): void => {
  program
    .command('watch')
    .description('list again and again what is held, until Ctrl-C')
    .argument('[pattern]', 'names to list, as of SCAN: order:*')
    .option('--interval <duration>', 'time between two looks: 500ms, 30s, 5m', '1s')
    .option('--json', 'print one line of JSON for each look')
    .action((pattern: string | undefined, _: unknown, command: Command) =>
      context.finish(watch(pattern, command.optsWithGlobals(), context)),
    );
};
