import { SchedulerRegistry } from '@nestjs/schedule';
import { LockNotWiredError, LockOptionsError, LockShutdownError } from '../../errors.js';
import { inject, injected } from '../../decorators/instance-wiring.js';
import type { CronTimes } from './planned-tick.js';

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
