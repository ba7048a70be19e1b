import type { Command } from 'commander';
import { basename } from 'node:path';
import { MOST_PERMITS } from '../../backend/kinds/counters/counters.js';
import { LockAbortedError, LockUnavailableError } from '../../errors.js';
import { MAX_DURATION, parseDuration, parseWait } from '../../time/duration.js';
import type { Hold } from '../../holds/hold.js';
import type { Locks } from '../../module/create-locks.js';
import type { LockKindOptions } from '../../locks/options/kind.options.js';
import { parseCount } from '../../validation/options.js';
import type { AcquireOptions } from '../../waiting/acquire.options.js';
import type { CommandContext } from '../command-context.js';
import { CommandFailure, failureOf } from '../command-failure.js';
import type { RedisPlace } from '../redis-place.js';
import { ExitCode, exitCodeOfSignal } from '../exit-code.js';
import { openLocks } from '../open-locks.js';
import { ChildCommand, type CommandEnd } from '../child-command.js';

/** The signals by which users and supervisors end a command, and those that commands have a use of their own for. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to the command itself. Twice, they would mean: at once, without cleaning up. */
const OF_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Keeps signals from ending this process, and passes them on. */
class ReceivedSignals {
  private readonly controller = new AbortController();
  private receiver: ((signal: NodeJS.Signals) => void) | undefined;
  /** The first one that was to end this process before there was a receiver. */
  first: NodeJS.Signals | undefined;

  constructor(private readonly isOnTerminal: boolean) {
    for (const signal of FORWARDED) process.on(signal, this.receive);
  }

  /** Aborts when this process is to end before there is a receiver. */
  get ending(): AbortSignal {
    return this.controller.signal;
  }

  /** From now on signals go to `receiver`. */
  forwardTo(receiver: (signal: NodeJS.Signals) => void): void {
    this.receiver = receiver;
  }

  /** Signals have their usual effect again. */
  stop(): void {
    for (const signal of FORWARDED) process.off(signal, this.receive);
  }

  private readonly receive = (signal: NodeJS.Signals): void => {
    if (this.receiver !== undefined) {
      if (!this.isOnTerminal || !OF_TERMINAL.includes(signal)) this.receiver(signal);
      return;
    }
    if (!ENDING.includes(signal)) return;
    this.first ??= signal;
    this.controller.abort();
  };
}

interface RunOptions extends RedisPlace {
  readonly fair?: boolean;
  readonly limit?: string;
  readonly wait: string;
  readonly lease: string;
  readonly killAfter: string;
}

interface RunTerms {
  readonly acquire: AcquireOptions & LockKindOptions;
  readonly killAfter: number;
}

/** A number has no unit; only these two need none. */
const waitOf = (text: string): unknown => (text === '0' ? 0 : /^infinity$/i.test(text) ? Infinity : text);

/** The time as text, which has a unit on the command line. */
const withUnit = (text: string, option: string): string => {
  if (text === '0' || !/^\d+$/.test(text)) return text;
  throw new CommandFailure(`${option} ${text} has no unit; give ${option} ${text}s or ${text}ms`, ExitCode.usage);
};

/** @throws LockOptionsError */
const limitOf = (text: string): number =>
  parseCount(/^\d+$/.test(text) ? Number(text) : text, '--limit', { min: 1, max: MOST_PERMITS });

/** @throws LockOptionsError, CommandFailure */
const termsOf = ({ fair = false, limit, wait, lease, killAfter }: RunOptions): RunTerms => ({
  acquire: {
    ...(limit === undefined ? { fair } : { fair, limit: limitOf(limit) }),
    wait: parseWait(waitOf(withUnit(wait, '--wait')), '--wait'),
    lease: parseDuration(withUnit(lease, '--lease'), '--lease', { min: 50, max: MAX_DURATION }),
    renew: true,
  },
  killAfter: parseDuration(killAfter === '0' ? 0 : withUnit(killAfter, '--kill-after'), '--kill-after', {
    min: 0,
    max: MAX_DURATION,
  }),
});

const acquire = async (
  locks: Locks,
  name: string,
  { acquire: options }: RunTerms,
  signal: AbortSignal,
): Promise<Hold | undefined> => {
  // A server that cannot be reached is hardly worth a wait: mostly the address is wrong.
  await locks.getLock(name).isLocked();
  try {
    return await locks.acquire(name, { ...options, signal });
  } catch (error) {
    if (error instanceof LockAbortedError) return undefined;
    throw error;
  }
};

const codeOf = (end: CommandEnd, command: string): number => {
  if ('code' in end) return end.code;
  if ('signal' in end) return exitCodeOfSignal(end.signal);
  if (end.error.code === 'ENOENT') throw new CommandFailure(`${command} was not found`, ExitCode.notFound);
  throw new CommandFailure(`${command} cannot be run: ${end.error.message}`, ExitCode.cannotRun);
};

/** Releases the hold after the command. Returns whether it was held to the end. */
const release = async (hold: Hold, { terminal }: CommandContext): Promise<boolean> => {
  const wasHeld = hold.isHeld;
  try {
    return (await hold.release()) !== 'expired' && wasHeld;
  } catch (error) {
    if (!(error instanceof LockUnavailableError)) throw error;
    terminal.say(
      `The release was not confirmed, so others may have to wait for the end of the lease: ${error.message}`,
    );
    return wasHeld;
  }
};

/** Runs the command while the hold lasts. Returns the exit code. */
const runUnder = async (
  hold: Hold,
  [command = '', ...parameters]: readonly string[],
  { killAfter }: RunTerms,
  signals: ReceivedSignals,
  context: CommandContext,
): Promise<number> => {
  hold.assertHeld();
  const child = new ChildCommand(command, parameters, context.isOnTerminal);
  signals.forwardTo((signal) => child.send(signal));
  let stopped: Promise<void> | undefined;
  const onLoss = (): void => {
    context.terminal.say(`${failureOf(hold.signal.reason).message}; the command is stopped`);
    stopped = child.stop(killAfter);
  };
  hold.signal.addEventListener('abort', onLoss, { once: true });
  if (hold.signal.aborted) onLoss();
  const end = await child.ended;
  hold.signal.removeEventListener('abort', onLoss);
  await stopped;
  // The command has ended, and the release is waited for.
  signals.forwardTo(() => {});
  if (stopped !== undefined) return ExitCode.lost;
  if (await release(hold, context)) return codeOf(end, command);
  throw new CommandFailure(`Lock "${hold.name}" was lost before the command had ended`, ExitCode.lost);
};

const run = async (
  name: string,
  command: readonly string[],
  options: RunOptions,
  context: CommandContext,
): Promise<number> => {
  const terms = termsOf(options);
  const signals = new ReceivedSignals(context.isOnTerminal);
  try {
    const [program = ''] = command;
    // For list and show: not the parameters, which may be secret.
    const holderRecords = { service: basename(program) || 'run' };
    const locks = await openLocks(options, context.environment, { holderRecords });
    try {
      const hold = signals.ending.aborted ? undefined : await acquire(locks, name, terms, signals.ending);
      if (hold !== undefined && signals.first === undefined) {
        return await runUnder(hold, command, terms, signals, context);
      }
      await hold?.release();
      return exitCodeOfSignal(signals.first ?? 'SIGTERM');
    } finally {
      await locks.close();
    }
  } finally {
    signals.stop();
  }
};

export const addRun = (program: Command, context: CommandContext): void => {
  program
    .command('run')
    .description('hold a lock while a command runs, and stop the command if the lock is lost')
    .argument('<name>', 'name of the lock')
    .argument('<command...>', 'the command, behind --')
    .option('--fair', 'first come, first served among all processes')
    .option('--limit <n>', 'so many commands at the same time, instead of one')
    .option('--wait <duration>', 'how long to wait for the lock: 0, 500ms, 30s, 5m, 1h, infinity', '10s')
    .option('--lease <duration>', 'how long the lock outlives a crash; renewed while the command runs', '30s')
    .option('--kill-after <duration>', 'time between SIGTERM and SIGKILL if the lock is lost', '5s')
    .action((name: string, words: readonly string[], _: unknown, command: Command) =>
      context.finish(run(name, words, command.optsWithGlobals<RunOptions>(), context)),
    );
};
