import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';

/** A call that waits for an answer. */
export interface WaitFacts {
  readonly who: string;
  readonly process: SimulatedProcess;
  readonly lock: string;
  /** Milliseconds that the caller is willing to wait. */
  readonly wait: number;
  /** Milliseconds that the library may take beyond that. */
  readonly grace: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether it takes several commands, so that each answer in between is progress. Default: no. */
  readonly isStepwise?: boolean | undefined;
  /** Whether the server could grant the request now. */
  readonly isFree: () => boolean;
  /** Whether the server knows that the caller waits, so that it gets its turn. Default: the caller asks for itself. */
  readonly isInLine?: (() => boolean) | undefined;
}

/** Tolerance for late timers and for the resolution of deadlines, ms. */
const GRAIN_MS = 15;

/** A state that must not last, and since when it does. Time for which the process stands still does not count. */
class Lasting {
  private since: number | undefined;
  private stalledBefore = 0;

  /** @returns Milliseconds for which it has lasted. */
  observe(isNow: boolean, now: number, { stalledFor }: SimulatedProcess): number {
    if (!isNow || stalledFor > this.stalledBefore) this.since = undefined;
    this.stalledBefore = stalledFor;
    if (isNow) this.since ??= now;
    return this.since === undefined ? 0 : now - this.since;
  }
}

class Wait {
  readonly stalledBefore: number;
  readonly free = new Lasting();
  readonly passedOver = new Lasting();
  abortedAt: number | undefined;

  constructor(
    readonly facts: WaitFacts,
    readonly begunAt: number,
  ) {
    this.stalledBefore = facts.process.stalledFor;
  }

  /** The instant at which the answer is due. */
  get dueAt(): number {
    const { wait, grace, process, isStepwise = false } = this.facts;
    const elapsed = this.begunAt + wait / process.clock.rate;
    const progressed = isStepwise ? Math.max(elapsed, process.lastAnswerAt) : elapsed;
    const end = Math.min(progressed, this.abortedAt ?? Number.POSITIVE_INFINITY);
    return end + grace + GRAIN_MS + (process.stalledFor - this.stalledBefore);
  }
}

/**
 * Checks that every caller is answered within its wait and the time of one command. Checks that no waiter sleeps while
 * its request could be granted, or without a place in line, for longer than a notification and a request take.
 */
export class Waits {
  private readonly pending = new Set<Wait>();

  /** @param longestIdle Milliseconds for which a waiter may sleep beside a free lock; `Infinity`: no limit. */
  constructor(
    private readonly simulation: Simulation,
    private readonly longestIdle: number,
  ) {
    simulation.checks.push(() => this.check());
  }

  /** Whether a living process waits for the lock. */
  isAwaited(lock: string): boolean {
    return [...this.pending].some(({ facts }) => facts.lock === lock && facts.process.isAlive);
  }

  /** @returns A function to call when there is an answer. */
  begin(facts: WaitFacts): () => void {
    const wait = new Wait(facts, this.simulation.now);
    this.pending.add(wait);
    facts.process.note(() => `${facts.who} waits for ${facts.lock}, at most ${facts.wait} ms`);
    return () => {
      if (!this.pending.delete(wait)) return;
      facts.process.note(() => `${facts.who} waits no longer for ${facts.lock}`);
    };
  }

  private check(): void {
    const { now } = this.simulation;
    for (const wait of this.pending) {
      const { facts } = wait;
      if (!facts.process.isAlive) this.pending.delete(wait);
      else if (!facts.process.isStalled) this.checkOne(wait, now);
    }
  }

  private checkOne(wait: Wait, now: number): void {
    const { who, lock, signal, isFree, isInLine } = wait.facts;
    if (signal?.aborted) wait.abortedAt ??= now;
    if (now > wait.dueAt) {
      this.simulation.violate(
        'answered in time',
        `${who} still waits for ${lock}, ${(now - wait.dueAt).toFixed(1)} ms too long`,
      );
    }
    if (this.longestIdle === Number.POSITIVE_INFINITY) return;
    const { process } = wait.facts;
    const free = wait.free.observe(isFree(), now, process);
    if (free > this.longestIdle) {
      this.simulation.violate('no lost wake-up', `${who} has slept for ${free.toFixed(1)} ms while ${lock} was free`);
    }
    const passedOver = wait.passedOver.observe(isInLine !== undefined && !isInLine(), now, process);
    if (passedOver > this.longestIdle) {
      this.simulation.violate(
        'no lost wake-up',
        `${who} has waited for ${passedOver.toFixed(1)} ms without a place in the line for ${lock}`,
      );
    }
  }
}
