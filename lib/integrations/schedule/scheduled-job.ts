import { SchedulerRegistry } from '@nestjs/schedule';
import { LockNotWiredError, LockOptionsError, LockShutdownError } from '../../errors.js';
import { inject, injected } from '../../decorators/instance-wiring.js';

/** The schedule of a cron job (`CronJob.cronTime`), as far as it is used here. */
export interface CronTimes {
  readonly timeZone?: string | undefined;
  /** The first planned instant after `start`. */
  getNextDateFrom(start: Date, timeZone?: string): { toMillis(): number };
}

/**
 * How early a job may run before its planned instant, ms: `cron` times it by the wall clock. A larger value would take
 * a job that is late by almost a period for the next tick, which would then be skipped.
 */
const EARLY_MS = 10;
const DAY_MS = 86_400_000;
/** How far to search back, ms, in steps: mostly the planned instant has just passed. */
const LOOKBACKS_MS = [2000, 60_000, 3_600_000, DAY_MS, 32 * DAY_MS, 5 * 366 * DAY_MS];

/**
 * The planned instant of a job that runs `now`: the latest one that has come. Replicas whose clocks differ run at
 * different times, but compute the same instant.
 *
 * Until summer time has ended `cron` takes the repeated part of the day for its first pass, so after that instant it
 * names an earlier one. Such an answer ends the search: following it would lead round in a circle.
 */
export const tickAt = (times: CronTimes, now: number): number => {
  const latest = now + EARLY_MS;
  const after = (instant: number): number => times.getNextDateFrom(new Date(instant), times.timeZone).toMillis();
  for (const lookback of LOOKBACKS_MS) {
    let tick = after(latest - lookback);
    if (tick > latest) continue;
    for (let next = after(tick); next > tick && next <= latest; next = after(next)) tick = next;
    return tick;
  }
  return now;
};

/** The classes and methods that declare a job, by its name, in one application. */
type Declared = Map<string, { readonly type: unknown; readonly place: string }>;

const declaredIn = new WeakMap<SchedulerRegistry, Declared>();

/** A job in Nest's schedule, as the instances of the class that declares it see it. */
export class ScheduledJob {
  /** In Nest's `SchedulerRegistry`. */
  readonly key: string;
  /** Property that holds the instance's job registry. Nest prints this description if the module is missing. */
  private readonly registry = Symbol('@LockedCron (import ScheduleModule.forRoot)');

  constructor(private readonly name: string) {
    this.key = `LockedCron ${name}`;
  }

  /**
   * Lets every instance of a class have the registry that it is scheduled in. A second job of this name is refused then:
   * versions of Nest's schedule before 12 would run only one of both.
   */
  wire(prototype: object, method: string | symbol): void {
    inject(prototype, this.registry, SchedulerRegistry, (instance, registry) => {
      if (registry instanceof SchedulerRegistry && this.isDeclaredBy(instance, method)) {
        this.refuseSecond(registry, instance.constructor, `${instance.constructor.name}.${String(method)}`);
      }
    });
  }

  /** Whether the job is in the schedule; `true` if the instance has none. */
  isRegistered(instance: unknown): boolean {
    return this.registryOf(instance)?.getCronJobs().has(this.key) ?? true;
  }

  /**
   * @throws LockShutdownError if the job is no longer planned, for example at the end of the application.
   * @throws LockNotWiredError if Nest did not wire the instance.
   */
  timesOf(instance: unknown): CronTimes {
    const registry = this.registryOf(instance);
    if (!registry) {
      throw new LockNotWiredError(
        `@LockedCron "${this.name}" has no schedule: let Nest construct the class, in an application that imports ScheduleModule.forRoot()`,
      );
    }
    const job = registry.getCronJobs().get(this.key);
    if (job) return job.cronTime;
    throw new LockShutdownError(`The job "${this.key}" is no longer in the schedule`);
  }

  private registryOf(instance: unknown): SchedulerRegistry | undefined {
    const registry = injected(instance, this.registry);
    return registry instanceof SchedulerRegistry ? registry : undefined;
  }

  /** A subclass may override the method with another job, or with none. */
  private isDeclaredBy(instance: object, method: string | symbol): boolean {
    const called: unknown = Reflect.get(instance, method);
    const planned: unknown =
      typeof called === 'function' ? Reflect.getMetadata('SCHEDULE_CRON_OPTIONS', called) : undefined;
    return typeof planned === 'object' && planned !== null && Reflect.get(planned, 'name') === this.key;
  }

  /** A class may have several instances, such as in two modules. */
  private refuseSecond(registry: SchedulerRegistry, type: unknown, place: string): void {
    const declared: Declared = declaredIn.get(registry) ?? new Map();
    declaredIn.set(registry, declared);
    const first = declared.get(this.key);
    if (first && (first.type !== type || first.place !== place)) {
      throw new LockOptionsError(
        `${first.place} and ${place} are both @LockedCron "${this.name}", so only one of them would run: give each job a name of its own`,
        { details: { option: 'name', value: this.name, places: [first.place, place] } },
      );
    }
    declared.set(this.key, { type, place });
  }
}
