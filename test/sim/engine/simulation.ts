import { setImmediate } from 'node:timers/promises';
import { Rng } from '../../chaos/rng.js';
import { EventQueue, type SimulatedEvent } from './event-queue.js';
import { Timeline } from './timeline.js';

/** A rule that the library broke in this run. */
export interface Violation {
  readonly rule: string;
  readonly at: number;
  readonly what: string;
}

/** Called after every event to check the state of the run. */
export type Check = () => void;

/** The most microtasks that run before a caller acts in the middle of an event. */
const MOST_TURNS = 24;
/** Probability that a pending action is moved into the middle of another event of its process. */
const IN_THE_MIDDLE = 0.15;

/** An action that a caller is about to take, and may take a little sooner. */
interface PendingAction {
  readonly owner: object;
  readonly event: SimulatedEvent;
}

/** True time, pending events, and random numbers, all determined by one seed. */
export class Simulation {
  readonly rng: Rng;
  readonly timeline: Timeline;
  readonly violations: Violation[] = [];
  readonly checks: Check[] = [];
  events = 0;
  /** Whether everything has ended, so that no client has a reason to send a request. */
  isAtRest = false;
  private time = 0;
  private readonly queue = new EventQueue();
  private readonly actions = new Set<PendingAction>();
  private readonly outside = new Set<Promise<unknown>>();
  private lastOwner: object | undefined;

  constructor(
    readonly seed: number,
    isTraced: boolean,
  ) {
    this.rng = new Rng(seed);
    this.timeline = new Timeline(isTraced);
  }

  /** True time, ms. Every clock of the simulated world is derived from it. */
  get now(): number {
    return this.time;
  }

  /** Runs `run` at an instant of true time. Events of one instant run in random order. */
  at(time: number, run: () => void): SimulatedEvent {
    const event: SimulatedEvent = { at: Math.max(time, this.time), run, cancelled: false };
    this.queue.add(event, this.rng.next());
    return event;
  }

  /** Runs an action of a caller in `owner` at `time`, or sometimes in the middle of an earlier event of its process. */
  act(owner: object, time: number, run: () => void): void {
    const action: PendingAction = {
      owner,
      event: this.at(time, () => {
        this.actions.delete(action);
        run();
      }),
    };
    this.actions.add(action);
  }

  /** Records that code of `owner` runs in this event. */
  ranCodeOf(owner: object): void {
    this.lastOwner = owner;
  }

  /** Stops time until `work`, which happens outside of the simulation, has settled. */
  await<T>(work: Promise<T>): Promise<T> {
    this.outside.add(work);
    const settled = (): void => void this.outside.delete(work);
    work.then(settled, settled);
    return work;
  }

  note(who: string, what: () => string): void {
    this.timeline.note(this.time, who, what);
  }

  violate(rule: string, what: string): void {
    this.violations.push({ rule, at: this.time, what });
    this.note('CHECK', () => `*** ${rule}: ${what}`);
  }

  /** Runs events until `isOver`, the first violation, or `end`. Resolves with false if events or time ran out. */
  async run(end: number, isOver: () => boolean): Promise<boolean> {
    // Lets work that began before the run send its requests.
    await setImmediate();
    while (this.violations.length === 0 && !isOver()) {
      const next = this.queue.take();
      if (!next || next.at > end) {
        if (next) this.queue.add(next, 0);
        this.time = Math.max(this.time, Math.min(end, next?.at ?? end));
        return false;
      }
      this.time = next.at;
      this.lastOwner = undefined;
      this.events += 1;
      next.run();
      await this.actInTheMiddle();
      await setImmediate();
      while (this.outside.size > 0) {
        await Promise.allSettled(this.outside);
        await setImmediate();
      }
      for (const check of this.checks) check();
    }
    return true;
  }

  private async actInTheMiddle(): Promise<void> {
    const owner = this.lastOwner;
    if (owner === undefined || this.actions.size === 0) return;
    const possible = [...this.actions].filter((action) => action.owner === owner && !action.event.cancelled);
    if (possible.length === 0 || !this.rng.chance(IN_THE_MIDDLE)) return;
    const { event } = this.rng.pick(possible);
    for (let turns = this.rng.whole(0, MOST_TURNS); turns > 0; turns -= 1) await Promise.resolve();
    event.cancelled = true;
    event.run();
  }
}
