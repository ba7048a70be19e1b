import { Cron, type CronOptions } from '@nestjs/schedule';
import { seconds } from '../../events/event-log.js';
import { invalidOption, namesOf, parseFlag, parseOptions } from '../../validation/options.js';
import { lockedBy } from '../../decorators/locked.decorator.js';
import { type AnyFunction, decoratedMethod, replaceMethod } from '../../decorators/decorated-method.js';
import { type LockedOptions, planFor } from '../../decorators/locked.options.js';
import { type Duration, MAX_DURATION, parseLease } from '../../time/duration.js';
import { ScheduledJob, tickAt } from './scheduled-job.js';
import { LateTickError, SkippedTicks } from './skipped-ticks.js';
import type { ConnectionChoice } from '../../locks/options/connection-choice.js';

const DECORATOR = '@LockedCron';

type NestCronOptions = Omit<CronOptions, 'name' | 'utcOffset'>;

/** The options of `@Cron` that are passed on; `initialDelay` exists in recent versions of Nest. */
const CRON_OPTIONS = namesOf<NestCronOptions>()(
  'timeZone',
  'disabled',
  'waitForCompletion',
  'threshold',
  'unrefTimeout',
  'initialDelay',
);

/** Options of a job that runs once for all replicas: its own, and those of `@Cron`, such as `timeZone`. */
export interface LockedCronOptions extends ConnectionChoice, NestCronOptions {
  /**
   * Largest difference between the clocks of replicas, and between a tick and its planned time, in ms or such as `'1m'`.
   * A lock remembers for twice this time that a tick has run, and a tick that begins later is skipped, with a line in the
   * log: another replica may have run it. Default: 1 minute.
   */
  readonly holdAtLeast?: Duration | undefined;
  /** Whether a tick runs while the previous one still does, on any replica; otherwise it is skipped. Default: false. */
  readonly overlap?: boolean | undefined;
}

const OPTIONS = namesOf<LockedCronOptions>()('holdAtLeast', 'overlap', 'connection', ...CRON_OPTIONS);

/**
 * The schedule passes it to each tick, as what `cron` is to call when the job is stopped. So a tick can be told from a
 * call by hand, also through other decorators of the method.
 */
const PLANNED = (): void => {};

/**
 * `@Cron` for many replicas: each tick runs on one of them. The planned time of the tick is part of the lock's name, so
 * a replica whose clock is late does not repeat a tick that another replica has run.
 *
 * A tick that gets no lock because Redis is unreachable is skipped, and one line is logged for each outage.
 *
 * A call of the method by hand runs at once, unless a tick runs: then it fails with LockConflictError, or runs as well
 * with `overlap: true`. It is no tick, and does not keep the next one from running.
 *
 * @param expression As for `@Cron`.
 * @param name Name of the locks and, with the prefix `LockedCron `, of the job in Nest's `SchedulerRegistry`.
 * @throws LockOptionsError when the decorator is applied, for an invalid name or option; at the start of the application,
 *   if two jobs have the same name.
 *
 * @example
 * @LockedCron('0 3 * * *', 'nightly-report', { timeZone: 'Europe/Berlin' })
 * async report(): Promise<void> { … }
 */
export const LockedCron = (expression: string, name: string, options: LockedCronOptions = {}): MethodDecorator => {
  assertName(name);
  const place = { of: DECORATOR, elsewhere: { name: 'in the second parameter', utcOffset: 'in timeZone' } };
  parseOptions(options, OPTIONS, place);
  const { connection } = options;
  const latest = parseLease(options.holdAtLeast ?? '1m', 'holdAtLeast');
  const overlap = parseFlag(options.overlap, 'overlap');
  const job = new ScheduledJob(name);
  const skipped = new SkippedTicks(name);

  const nameOfTick = function (this: unknown): string {
    const now = Date.now();
    const tick = tickAt(job.timesOf(this), now);
    const planned = new Date(tick).toISOString();
    if (now - tick > latest) throw tooLate(planned, now - tick, latest);
    return `${name}@${planned}`;
  };
  const locked = (key: unknown, locking: LockedOptions) =>
    lockedBy(key, planFor({ ...locking, connection }, DECORATOR), locking, DECORATOR);
  const skipping = (key: unknown, locking: LockedOptions) =>
    lockedBy(
      key,
      {
        ...planFor({ ...locking, onConflict: 'skip', connection }, DECORATOR),
        leavesOut: (error, instance) => skipped.skipsFor(error, instance),
      },
      locking,
      DECORATOR,
    );
  const onceATick = skipping(nameOfTick, { holdAtLeast: Math.min(2 * latest, MAX_DURATION) });
  const oneAtATime = skipping(name, {});
  const unlessItRuns = locked(name, { wait: 0 });
  // The options of `@Cron` for users do not name it.
  const planned = Cron(expression, Object.assign({ onComplete: PLANNED }, cronOptionsOf(options), { name: job.key }));

  return (target, method, descriptor) => {
    const decorated = decoratedMethod(DECORATOR, target, method, descriptor);
    const begin: AnyFunction = function (...args) {
      skipped.hasAnswer(this);
      return decorated.original.apply(this, args);
    };
    const unlocked = { ...descriptor, value: begin };
    const tick = onceATick(target, method, overlap ? unlocked : oneAtATime(target, method, unlocked));
    const byHand = overlap ? descriptor : unlessItRuns(target, method, descriptor);
    const runTick = decoratedMethod(DECORATOR, target, method, tick).original;
    const runByHand = decoratedMethod(DECORATOR, target, method, byHand).original;
    const advised: AnyFunction = async function (...args) {
      if (args[0] !== PLANNED) return runByHand.apply(this, args);
      // A job that is overdue when it is created runs at once, before Nest has registered it.
      if (!job.isRegistered(this)) await Promise.resolve();
      return runTick.apply(this, []);
    };
    const onTick = replaceMethod(decorated, descriptor, advised, {
      declared: { key: name, options },
      connection,
      cancelOnDisconnect: undefined,
    });
    planned(target, method, onTick);
    job.wire(target, method);
    return onTick;
  };
};

/** @throws LockOptionsError */
const assertName = (name: unknown): void => {
  if (typeof name === 'string' && name !== '' && !/[<>]/.test(name)) return;
  throw invalidOption(
    'name, the second parameter of @LockedCron,',
    name,
    "a text without <>, such as 'nightly-report'",
  );
};

const cronOptionsOf = (options: LockedCronOptions): NestCronOptions =>
  Object.fromEntries(
    Array.from(CRON_OPTIONS, (name) => [name, options[name]]).filter(([, value]) => value !== undefined),
  );

const tooLate = (planned: string, late: number, latest: number): LateTickError =>
  new LateTickError(
    `it was planned for ${planned} and is ${seconds(late)} late, and another process may have run it ` +
      `(holdAtLeast is ${seconds(latest)}); to run the job now, call the method`,
  );
