import { LockError } from '../../../lib/errors.js';
import { GrantedHold } from '../../../lib/holds/granted-hold.js';
import type { Hold } from '../../../lib/holds/hold.js';
import type { Lock } from '../../../lib/locks/lock.js';
import { beliefOf } from '../checks/belief.js';
import type { Section, Task } from '../checks/sections.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { LockServer, Mode } from '../server/simulated-server.js';
import type { SimulatedWorld } from './simulated-world.js';

/** A caller's request for a lock. */
export interface LockRequest {
  readonly lease?: number | undefined;
  readonly wait: number;
  readonly signal?: AbortSignal | undefined;
  readonly mode?: Mode;
  /** Whether it takes several commands, so that each answer in between counts as progress. Default: no. */
  readonly isStepwise?: boolean;
  readonly server?: LockServer;
  /** The work that contains the request. */
  readonly within?: Task | undefined;
  /** Whether the lock could be granted now. Default: its holder has released it. */
  readonly isFree?: () => boolean;
  /** Whether the server knows that the process waits. Default: not asked. */
  readonly isInLine?: () => boolean;
}

/** The half of a read-write lock that a hold is of now. An upgrade or a downgrade changes it. */
const halfOf = (hold: Hold): 'read' | 'write' | undefined => {
  const family = hold instanceof GrantedHold ? hold.latest.grant.kind.family : undefined;
  return family === 'read' || family === 'write' ? family : undefined;
};

/** A caller of the library in one process. It takes locks, works under them, and releases them. */
export class Caller {
  constructor(
    readonly world: SimulatedWorld,
    readonly process: SimulatedProcess,
    readonly name: string,
  ) {}

  /** Works for `ms` of true time, or until `signal` aborts. */
  async work(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    let stop = (): void => {};
    const aborted = new Promise<void>((resolve) => (stop = resolve));
    signal?.addEventListener('abort', stop);
    await Promise.race([this.process.pause(ms), aborted]);
    signal?.removeEventListener('abort', stop);
  }

  /** Creates a signal that aborts some time within `ms`. */
  abortsWithin(ms: number): AbortSignal {
    const controller = new AbortController();
    this.process.act(this.world.rng.between(0, ms), () => controller.abort(new Error(`${this.name} gives up`)));
    return controller.signal;
  }

  /** Calls `ask`, and checks that its answer comes in time. */
  async answer<T>(lock: string, request: LockRequest, ask: () => Promise<T>): Promise<T> {
    const answered = this.awaits(lock, request);
    try {
      return await ask();
    } finally {
      answered();
    }
  }

  /** Takes the lock for `work`, as `withLock` does, and marks the section. Resolves with whether it worked. */
  async locked(lock: Lock, request: LockRequest, work: (hold: Hold, task: Task) => Promise<void>): Promise<boolean> {
    const answered = this.awaits(lock.name, request);
    try {
      await lock.withLock(this.optionsOf(request), async (hold) => {
        answered();
        await this.inSection(hold, request, (task) => work(hold, task));
      });
      return true;
    } catch (error) {
      return this.tolerate(error);
    } finally {
      answered();
    }
  }

  /** Takes the lock by `acquire`, works, and releases it. Resolves with whether it worked. */
  async holding(lock: Lock, request: LockRequest, work: (hold: Hold, task: Task) => Promise<void>): Promise<boolean> {
    try {
      const hold = await this.answer(lock.name, request, () => lock.acquire(this.optionsOf(request)));
      try {
        await this.inSection(hold, request, (task) => hold.run(() => work(hold, task)));
      } finally {
        await hold.release();
      }
      return true;
    } catch (error) {
      return this.tolerate(error);
    }
  }

  /** Marks a section under a hold that the library gave to a callback. Returns a function that ends the section. */
  enters(hold: Hold, lease?: number): () => void {
    const { process, world, name: who } = this;
    const task: Task = { within: undefined };
    const section = { who, process, server: world.lockServer, lock: hold.name, mode: 'exclusive', task } as const;
    return world.sections.enter({ ...section, belief: beliefOf(hold), lease });
  }

  /** Tolerates errors of the library's own classes. Any other error is a defect. */
  tolerate(error: unknown): false {
    if (!(error instanceof LockError)) {
      this.world.simulation.violate(
        'typed errors',
        error instanceof Error ? (error.stack ?? error.message) : String(error),
      );
    }
    this.process.note(() => `${this.name} gets ${String(error)}`);
    return false;
  }

  private optionsOf({ lease, wait, signal }: LockRequest): { lease?: number; wait: number; signal?: AbortSignal } {
    return { wait, ...(lease !== undefined && { lease }), ...(signal && { signal }) };
  }

  private awaits(
    lock: string,
    { wait, signal, server = this.world.lockServer, isFree, isInLine, within, isStepwise }: LockRequest,
  ): () => void {
    return this.world.waits.begin({
      who: this.name,
      process: this.process,
      lock,
      wait,
      signal,
      isStepwise,
      isInLine,
      grace: this.world.profile.commandTimeout,
      isFree: isFree ?? (() => within === undefined && server.wasFreed(lock)),
    });
  }

  private async inSection(
    hold: Hold,
    { mode = 'exclusive', server = this.world.lockServer, within, isStepwise, lease }: LockRequest,
    work: (task: Task) => Promise<void>,
  ): Promise<void> {
    const { process, world, name: who } = this;
    const task: Task = { within };
    const asked = within || isStepwise ? undefined : (lease ?? world.profile.renewedLease);
    const leaves = world.membersOf(hold).map((member) => {
      const at = world.serverOf(member, server);
      const belief = beliefOf(member);
      const modeNow = (): Mode => halfOf(member) ?? mode;
      const section: Section = {
        ...{ who, process, server: at, lock: member.name, belief, task, lease: asked },
        get mode() {
          return modeNow();
        },
      };
      return world.sections.enter(section);
    });
    try {
      await work(task);
    } finally {
      for (const leave of leaves) leave();
    }
  }
}
