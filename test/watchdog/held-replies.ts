import type { LockOperations, Renewal } from '../../lib/backend/lock-operations.js';
import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import type { RedisBackend } from '../../lib/backend/redis-backend.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { Client, type ClientOptions, openClient } from '../kit/client.js';
import { memoryBackend } from '../kit/memory-backend.js';

type Transition = 'renew' | 'hold';

/** A command that the backend has received and not answered yet. */
export interface Unanswered {
  readonly transition: Transition;
  readonly names: readonly string[];
  /** Executes the command, unless it is executed already, and delivers its reply. */
  answer(): Promise<void>;
  /** Delivers no reply, so that the caller learns only that the outcome is unknown. */
  fail(): Promise<void>;
}

/** Clients of one memory on a manual clock. Replies to renewals and holds can be held back. */
export class HeldReplies {
  readonly clock = new ManualClock();
  /** The commands without a reply, in the order in which they were requested. */
  readonly unanswered: Unanswered[] = [];
  private readonly scheduler = new MonotonicScheduler(this.clock, rethrow);
  private readonly server = new MemoryServer(this.scheduler);
  private readonly heldBack = new Map<Transition, 'executed' | 'not executed'>();

  /** Opens a client whose replies {@link holdBack} affects. */
  open(options: ClientOptions = {}): Client {
    const backend = memoryBackend(this.scheduler, this.server);
    for (const locks of Object.values(backend)) if (isLock(locks)) this.intercept(locks);
    return this.client(backend, options);
  }

  /** Opens a client of another process. */
  openUndisturbed(): Client {
    return this.client(memoryBackend(this.scheduler, this.server), {});
  }

  /**
   * Holds the replies to commands of this kind back until {@link letGo}. The commands are executed at once, or only
   * with their answer.
   */
  holdBack(transition: Transition, state: 'executed' | 'not executed' = 'executed'): void {
    this.heldBack.set(transition, state);
  }

  letGo(transition: Transition): void {
    this.heldBack.delete(transition);
  }

  /** The latest command of this kind about `name`, which must be unanswered. */
  pending(transition: Transition, name: string): Unanswered {
    const found = this.unanswered.findLast((one) => one.transition === transition && one.names.includes(name));
    if (!found) throw new Error(`No ${transition} of "${name}" is unanswered`);
    return found;
  }

  private client(backend: RedisBackend, options: ClientOptions): Client {
    return openClient({ ...options, connection: 'memory' }, { scheduler: this.clock, backend: () => backend });
  }

  private intercept(locks: LockOperations): void {
    const [renew, hold] = [locks.renew.bind(locks), locks.hold.bind(locks)];
    const namesOf = (renewals: readonly Renewal[]): readonly string[] => renewals.map(({ name }) => name);
    locks.renew = (renewals) => this.through('renew', namesOf(renewals), () => renew(renewals));
    locks.hold = (request) => this.through('hold', [request.name], () => hold(request));
  }

  private through<T>(transition: Transition, names: readonly string[], execute: () => Promise<T>): Promise<T> {
    const state = this.heldBack.get(transition);
    if (!state) return execute();
    let reply = state === 'executed' ? execute() : undefined;
    return new Promise((resolve, reject) => {
      const command: Unanswered = {
        transition,
        names,
        answer: () => {
          reply ??= execute();
          return this.settle(command, () => resolve(reply ?? execute()));
        },
        fail: () =>
          this.settle(command, () => reject(new LockUnavailableError('No reply', 'unknown', false, { lockName: '' }))),
      };
      this.unanswered.push(command);
    });
  }

  private async settle(command: Unanswered, settle: () => void): Promise<void> {
    this.unanswered.splice(this.unanswered.indexOf(command), 1);
    settle();
    await this.clock.advance(0);
  }
}

const isLock = (part: unknown): part is LockOperations =>
  typeof part === 'object' && part !== null && 'renew' in part && 'hold' in part;

const rethrow = (error: unknown): never => {
  throw error;
};
