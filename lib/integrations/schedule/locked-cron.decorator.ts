import { Inject, Logger } from '@nestjs/common';
import { Cron, type CronOptions, SchedulerRegistry } from '@nestjs/schedule';
import { LockNotWiredError, LockShutdownError, LockUnavailableError } from '../../errors.js';
import { invalidOption, parseOptions } from '../../validation/options.js';
import { lockedBy } from '../../decorators/locked.decorator.js';
import { type AnyFunction, decoratedMethod, replaceMethod } from '../../decorators/decorated-method.js';
import { type LockedOptions, planFor } from '../../decorators/locked.options.js';
import type { Duration } from '../../time/duration.js';
import { type CronTimes, tickAt } from './planned-tick.js';
import type { ConnectionChoice } from '../../locks/options/connection-choice.js';

/** Property that holds the instance's job registry. Nest prints this description if the module is missing. */
const REGISTRY = Symbol('@LockedCron (import ScheduleModule.forRoot)');

const logger = new Logger('LockedCron');

type NestCronOptions = Omit<CronOptions, 'name' | 'utcOffset'>;

/** The options of `@Cron` that are passed on; `initialDelay` exists in recent versions of Nest. */
const CRON_OPTIONS = [
  'timeZone',
  'disabled',
  'waitForCompletion',
  'threshold',
  'unrefTimeout',
  'initialDelay',
] as const satisfies readonly (keyof NestCronOptions)[];

/** Options of a job that runs once for all replicas: its own, and those of `@Cron`, such as `timeZone`. */
export interface LockedCronOptions extends ConnectionChoice, NestCronOptions {
  /**
   * Largest difference between the clocks of replicas, in ms or such as `'1m'`: a lock remembers for this time that a
   * tick has run. Default: 1 minute.
   */
  readonly holdAtLeast?: Duration | undefined;
  /** Whether a tick runs while the previous one still does, on any replica; otherwise it is skipped. Default: false. */
  readonly overlap?: boolean | undefined;
  /** Options of `@Cron` in an object of their own, as in earlier versions. */
  readonly cron?: NestCronOptions | undefined;
}

/**
 * `@Cron` for many replicas: each tick runs on one of them. The planned time of the tick is part of the lock's name, so
 * a replica whose clock is late does not repeat a tick that another replica has run.
 *
 * A tick that gets no lock because Redis is unreachable is skipped, and one line is logged.
 *
 * @param expression As for `@Cron`.
 * @param name Name of the locks and, with the prefix `LockedCron `, of the job in Nest's `SchedulerRegistry`.
 *
 * @example
 * @LockedCron('0 3 * * *', 'nightly-report', { timeZone: 'Europe/Berlin' })
 * async report(): Promise<void> { … }
 */
export const LockedCron = (expression: string, name: string, options: LockedCronOptions = {}): MethodDecorator => {
  const place = { of: '@LockedCron', elsewhere: { name: 'in the second parameter', utcOffset: 'in timeZone' } };
  parseOptions(options, ['holdAtLeast', 'overlap', 'connection', 'cron', ...CRON_OPTIONS], place);
  const { holdAtLeast = '1m', overlap = false, connection } = options;
  const cron = cronOptionsOf(options);
  const job = `LockedCron ${name}`;
  const nameOfTick = function (this: unknown): string {
    const { cronTime } = jobIn(registryOf(this, name), job);
    return `${name}@${new Date(tickAt(cronTime, Date.now())).toISOString()}`;
  };
  const lockedTick = (key: unknown, locking: LockedOptions) =>
    lockedBy(key, { ...planFor({ ...locking, onConflict: 'skip', connection }, '@LockedCron'), leavesOut });
  /**
   * A tick has no caller to report to: log one line for a skipped tick, without a stack each time while Redis is down.
   */
  const leavesOut = (error: unknown): boolean => {
    if (error instanceof LockUnavailableError) logger.error(`Skipped a tick of "${name}": ${error.message}`);
    return error instanceof LockUnavailableError || error instanceof LockShutdownError;
  };
  const onceATick = lockedTick(nameOfTick, { holdAtLeast });
  const oneAtATime = lockedTick(name, {});
  const planned = Cron(expression, { ...cron, name: job });
  return (target, method, descriptor) => {
    const locked = onceATick(target, method, overlap ? descriptor : oneAtATime(target, method, descriptor));
    const isRegistered = (instance: unknown): boolean => registryIn(instance)?.getCronJobs().has(job) ?? true;
    const decorated = decoratedMethod('@LockedCron', target, method, locked);
    // A job that is overdue when it is created runs at once, before Nest has registered it.
    const afterThat: AnyFunction = async function (...args) {
      if (!isRegistered(this)) await Promise.resolve();
      return decorated.original.apply(this, args);
    };
    const onTick = replaceMethod(decorated, locked, afterThat, { connection, cancelOnDisconnect: undefined });
    planned(target, method, onTick);
    if (!(REGISTRY in target)) Inject(SchedulerRegistry)(target, REGISTRY);
    return onTick;
  };
};

/** @throws LockOptionsError for an option that is given twice. */
const cronOptionsOf = ({ cron, ...options }: LockedCronOptions): NestCronOptions => {
  const given = Object.entries(options).filter(([name, value]) => isCronOption(name) && value !== undefined);
  const twice = given.find(([name]) => cron !== undefined && name in cron);
  if (twice) throw invalidOption(`${twice[0]} of @LockedCron`, twice[1], 'given once, not in cron as well');
  return { ...cron, ...Object.fromEntries(given) };
};

const isCronOption = (name: string): boolean => CRON_OPTIONS.some((option) => option === name);

/** @throws LockShutdownError if the job is no longer planned, for example at the end of the application. */
const jobIn = (registry: SchedulerRegistry, name: string): { readonly cronTime: CronTimes } => {
  const job = registry.getCronJobs().get(name);
  if (job) return job;
  throw new LockShutdownError(`The job "${name}" is no longer in the schedule`);
};

const registryIn = (instance: unknown): SchedulerRegistry | undefined => {
  const registry: unknown =
    typeof instance === 'object' && instance !== null ? Reflect.get(instance, REGISTRY) : undefined;
  return registry instanceof SchedulerRegistry ? registry : undefined;
};

const registryOf = (instance: unknown, name: string): SchedulerRegistry => {
  const registry = registryIn(instance);
  if (registry) return registry;
  throw new LockNotWiredError(
    `@LockedCron "${name}" has no schedule: let Nest construct the class, in an application that imports ScheduleModule.forRoot()`,
  );
};
