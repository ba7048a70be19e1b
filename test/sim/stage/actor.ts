import { LockError } from '../../../lib/errors.js';
import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import { beliefOf } from '../checks/belief.js';
import type { Section, Task } from '../checks/sections.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { LockHome, Mode } from '../server/simulated-server.js';
import type { Stage } from './stage.js';

/** How an actor asks for a lock. */
export interface Asking {
  readonly lease?: number | undefined;
  readonly wait: number;
  readonly signal?: AbortSignal | undefined;
  readonly mode?: Mode;
  /** Whether it takes several commands, so that each answer in between is progress. Default: no. */
  readonly isStepwise?: boolean;
  readonly server?: LockHome;
  /** The work that the actor is at already. */
  readonly within?: Task | undefined;
  /** Whether it could have the lock now. Default: its holder has released it. */
  readonly isFree?: () => boolean;
}

/** An actor in a process: takes locks, works under them, and gives them back. */
export class Actor {
  constructor(
    readonly stage: Stage,
    readonly process: SimulatedProcess,
    readonly name: string,
  ) {}

  /** Works for `ms` of true time, and stops sooner where `signal` says so. */
  async work(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await Promise.race([
      this.process.pause(ms),
      ...(signal
        ? [new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))]
        : []),
    ]);
  }

  /** A signal that aborts some time within `ms`. */
  abortsWithin(ms: number): AbortSignal {
    const controller = new AbortController();
    this.process.act(this.stage.rng.between(0, ms), () => controller.abort(new Error(`${this.name} gives up`)));
    return controller.signal;
  }

  /** Waits for an answer, which has to come in time. */
  async answer<T>(lock: string, asking: Asking, ask: () => Promise<T>): Promise<T> {
    const answered = this.awaits(lock, asking);
    try {
      return await ask();
    } finally {
      answered();
    }
  }

  /** Takes the lock for `work`, as `withLock` does, and marks the section. Resolves with whether it worked. */
  async locked(lock: Lock, asking: Asking, work: (hold: Hold, task: Task) => Promise<void>): Promise<boolean> {
    const answered = this.awaits(lock.name, asking);
    try {
      await lock.withLock(this.optionsOf(asking), async (hold) => {
        answered();
        await this.inSection(hold, asking, (task) => work(hold, task));
      });
      return true;
    } catch (error) {
      return this.tolerate(error);
    } finally {
      answered();
    }
  }

  /** Takes the lock by hand, works, and releases it. */
  async holding(lock: Lock, asking: Asking, work: (hold: Hold, task: Task) => Promise<void>): Promise<boolean> {
    try {
      const hold = await this.answer(lock.name, asking, () => lock.acquire(this.optionsOf(asking)));
      try {
        await this.inSection(hold, asking, (task) => hold.run(() => work(hold, task)));
      } finally {
        await hold.release();
      }
      return true;
    } catch (error) {
      return this.tolerate(error);
    }
  }

  /** Marks a section under a hold that the library gave to a callback. Returns a function that ends the section. */
  enters(hold: Hold): () => void {
    const { process, stage, name: who } = this;
    const task: Task = { within: undefined };
    const section = { who, process, server: stage.home, lock: hold.name, mode: 'exclusive', task } as const;
    return stage.sections.enter({ ...section, belief: beliefOf(hold) });
  }

  /** Tolerates errors of the library's own classes. Any other error is a defect. */
  tolerate(error: unknown): false {
    if (!(error instanceof LockError)) {
      this.stage.simulation.violate(
        'typed errors',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }
    this.process.note(() => `${this.name} is told ${String(error)}`);
    return false;
  }

  private optionsOf({ lease, wait, signal }: Asking): { lease?: number; wait: number; signal?: AbortSignal } {
    return { wait, ...(lease !== undefined && { lease }), ...(signal && { signal }) };
  }

  private awaits(
    lock: string,
    { wait, signal, server = this.stage.home, isFree, within, isStepwise }: Asking,
  ): () => void {
    return this.stage.waits.begin({
      who: this.name,
      process: this.process,
      lock,
      wait,
      signal,
      isStepwise,
      grace: this.stage.profile.commandTimeout,
      isFree: isFree ?? (() => within === undefined && server.wasFreed(lock)),
    });
  }

  private async inSection(
    hold: Hold,
    { mode = 'exclusive', server = this.stage.home, within }: Asking,
    work: (task: Task) => Promise<void>,
  ): Promise<void> {
    const { process, stage, name: who } = this;
    const task: Task = { within };
    const leaves = stage.membersOf(hold).map((member) => {
      const at = stage.serverOf(member, server);
      const section: Section = { who, process, server: at, lock: member.name, mode, belief: beliefOf(member), task };
      return stage.sections.enter(section);
    });
    try {
      await work(task);
    } finally {
      for (const leave of leaves) leave();
    }
  }
}
