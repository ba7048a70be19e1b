import { isPassing } from '../../../errors.js';
import { readWriteLockChannel, readWriteStem, waitingWriters } from '../../../keys/redisson-keys.js';
import type { MonotonicScheduler } from '../../../time/scheduler.js';
import type { WaitingWriter } from '../../lock-operations.js';
import { isUnknown, RedisOperations } from '../../commands/deadline-request.js';
import { OrphanReleaser } from '../../commands/orphan-releaser.js';
import { announcementOn, type ScriptExecutor } from '../../commands/script-executor.js';
import { scripts } from '../../scripts/scripts.generated.js';

/** The requests that may still announce one writer. Their limits are instants of the server's clock. */
interface Announcing {
  readonly inFlight: Set<{ readonly notAfter: number }>;
  /** The latest limit of those that got no answer; 0 if all got one. */
  unanswered: number;
}

/** A writer to be withdrawn in the background, for no longer than it would count as waiting. */
interface Withdrawal {
  readonly name: string;
  readonly writer: WaitingWriter;
  readonly lease: number;
  readonly notAfter: number;
}

const DONE = Number.POSITIVE_INFINITY;

/**
 * The waiting writers of this client that go before new readers. A request that announces one may be executed late, after
 * the withdrawal: so the withdrawal is repeated until one is confirmed after the server refuses all such requests.
 */
export class WaitingWriters extends RedisOperations {
  private readonly announcing = new WeakMap<WaitingWriter, Announcing>();
  private readonly withdrawn = new WeakSet<WaitingWriter>();
  private readonly withdrawals: OrphanReleaser<Withdrawal>;

  constructor(commands: ScriptExecutor, scheduler: MonotonicScheduler) {
    super(commands, scheduler);
    this.withdrawals = new OrphanReleaser(scheduler, ({ name, writer }) => this.tryWithdraw(name, writer));
  }

  /** Whether requests must not announce it any more. */
  isWithdrawn(writer: WaitingWriter): boolean {
    return this.withdrawn.has(writer);
  }

  /** Notes a request that announces the writer, until its answer. */
  async during<T>(name: string, writer: WaitingWriter, notAfter: number, request: Promise<T>): Promise<T> {
    const announcing = this.announcing.get(writer) ?? { inFlight: new Set(), unanswered: 0 };
    this.announcing.set(writer, announcing);
    const sent = { notAfter: this.commands.latest(name, notAfter) };
    announcing.inFlight.add(sent);
    try {
      return await request;
    } catch (error) {
      if (isUnknown(error)) announcing.unanswered = Math.max(announcing.unanswered, sent.notAfter);
      throw error;
    } finally {
      announcing.inFlight.delete(sent);
    }
  }

  async announce(name: string, writer: WaitingWriter): Promise<void> {
    const { id: waiter, slot } = writer;
    await this.inTime({
      key: name,
      deadline: this.deadline(slot),
      send: ({ notAfter, deadline }): Promise<readonly ['announced' | 'late', number]> => {
        if (this.isWithdrawn(writer)) return Promise.resolve(['announced', 0]);
        const args = { stem: readWriteStem(name), waiter, slot, notAfter };
        const request = this.commands.run(scripts.writeLock.announce, { lock: name }, args, deadline, name);
        return this.during(name, writer, notAfter, request);
      },
      read: ([outcome]): true | undefined => (outcome === 'late' ? undefined : true),
    });
  }

  async withdraw(name: string, writer: WaitingWriter): Promise<void> {
    this.withdrawn.add(writer);
    const withdrawal = { name, writer, lease: writer.slot, notAfter: this.latest(writer) };
    try {
      if ((await this.tryWithdraw(name, writer)) > withdrawal.notAfter) return;
    } catch (error) {
      if (!isPassing(error)) throw error;
    }
    this.withdrawals.releaseInBackground(withdrawal);
  }

  /** Resolves when nothing is left to withdraw, or after `ms`. */
  finish(ms: number): Promise<void> {
    return this.withdrawals.finish(ms);
  }

  /** Resolves with the server's time of the withdrawal, or {@link DONE} if no request on its way could announce the writer. */
  private async tryWithdraw(name: string, writer: WaitingWriter): Promise<number> {
    const isLast = this.latest(writer) === 0;
    const writers = waitingWriters(name);
    const send = (deadline: number) => {
      const args = { lock: name, waiter: writer.id, ...announcementOn(this.commands, readWriteLockChannel(name)) };
      return this.commands.run(scripts.writeLock.withdraw, { writers }, args, deadline, name);
    };
    const [, now] = await this.whenReady(name, send);
    return isLast ? DONE : now;
  }

  /** The last instant of the server's clock at which a request may announce the writer; 0 if none is on its way. */
  private latest(writer: WaitingWriter): number {
    const { inFlight = [], unanswered = 0 } = this.announcing.get(writer) ?? {};
    return Math.max(unanswered, ...[...inFlight].map(({ notAfter }) => notAfter));
  }
}
