import { isChosenOwner } from '../../../context/chosen-owner.js';
import type { OwnerId } from '../../../context/owner-ids.js';
import { type MonotonicScheduler, Stopwatch } from '../../../time/scheduler.js';
import type { AcquireOutcome, ReleaseOutcome, ReleaseRequest, WaitingEntry } from '../../lock-operations.js';
import { isPassing, wrongKeyType } from '../../../errors.js';
import { clientChannel, waitingClients } from '../../../keys/redisson-keys.js';
import { isUnknown, rejectOnceRefused, type RequestLimits } from '../../commands/deadline-request.js';
import { OrphanReleaser } from '../../commands/orphan-releaser.js';
import type { Replicas } from '../../commands/replication/replica-confirmation.js';
import type { ScriptExecutor } from '../../commands/script-executor.js';
import { sendAgain } from '../../commands/send-again.js';
import { unexpectedReply } from '../../connection/reply-errors.js';
import type { ReplyOf } from '../../scripts/script.js';
import { scripts } from '../../scripts/scripts.generated.js';
import { PlainLockScripts, type Release, textOf } from './lock-scripts.js';
import { RedisLock } from './redis-lock.js';

/** A grant as its client is told of it. */
interface GrantMessage {
  readonly owner: OwnerId;
  /** Milliseconds. */
  readonly lease: number;
  /** The server's time of the grant, ms. */
  readonly serverTime: number;
}

/**
 * Reads `<owner> <lease> <server's time>`, as `shared/pass-on.lua` writes it.
 * @returns `undefined` for any other message.
 */
const parseGrant = (message: string): GrantMessage | undefined => {
  const [, owner, lease, serverTime] = /^(\S+) (\d{1,10}) (\d{1,15})$/.exec(message) ?? [];
  return owner === undefined ? undefined : { owner, lease: Number(lease), serverTime: Number(serverTime) };
};

/** A request to acquire the lock, or to be given it when it is the client's turn. */
export interface WaitRequest {
  readonly name: string;
  readonly entry: WaitingEntry;
  /** Whether the entry is to be added. Otherwise, one that is not there any more is not added again. */
  readonly isNew: boolean;
}

/** `gone`: the entry is not there any more, and its owner was not given the lock, or has released it. */
export type WaitOutcome = AcquireOutcome | { readonly outcome: 'gone' };

/** The lock that an entry was given. */
export interface ReceivedGrant {
  readonly owner: OwnerId;
  /** Milliseconds, counted from `sent`. */
  readonly lease: number;
  /** Started before the grant. */
  readonly sent: Stopwatch;
}

/** Where a client is sent its grants. */
export interface GrantChannel {
  readonly name: string;
  /** The grant in a message; `undefined`: it is none, or it is unknown how old it is. */
  read(message: string): ReceivedGrant | undefined;
}

/** The longest first lease of a grant, ms: time enough to set the whole one, and to try that again. */
export const longestFirstLease = ({ commandTimeout }: ScriptExecutor): number => 3 * commandTimeout;

/** The channel on which a client is sent its grants of a lock. There may be thousands, one for each name. */
export class RedisGrantChannel implements GrantChannel {
  readonly name: string;

  constructor(
    private readonly commands: ScriptExecutor,
    private readonly scheduler: MonotonicScheduler,
    private readonly lock: string,
    clientId: string,
  ) {
    this.name = clientChannel(lock, clientId);
  }

  read(message: string): ReceivedGrant | undefined {
    const grant = parseGrant(message);
    const ago = grant && this.commands.longestSince(this.lock, grant.serverTime);
    if (!grant || ago === undefined) return undefined;
    return { owner: grant.owner, lease: grant.lease, sent: new Stopwatch(this.scheduler, ago) };
  }
}

type WaitReply = readonly [lease: number, now: number] | readonly [string, number, string, number];

/** The scripts of the plain lock, and of the clients that wait for it in a sorted set beside it. */
export class GrantingLockScripts extends PlainLockScripts {
  wait({ name, entry, isNew }: WaitRequest, { notAfter, deadline }: RequestLimits): Promise<WaitReply> {
    const { owner, lease } = entry;
    const args = { owner, lease, notAfter, waiters: waitingClients(name), entry: textOf(entry), isNew: isNew ? 1 : 0 };
    return this.commands.run(scripts.lock.wait, { lock: name }, args, deadline, name);
  }

  releaseChosen(
    { name, owner }: Release,
    { notAfter, deadline }: RequestLimits,
  ): Promise<ReplyOf<typeof scripts.lock.releaseChosen>> {
    const mayGrant = this.mayGrant(name);
    const args = { owner, ...this.announcing(name), waiters: waitingClients(name), mayGrant, notAfter };
    return this.commands.run(scripts.lock.releaseChosen, { lock: name }, args, deadline, name);
  }

  /** Resolves with the server's time at which the withdrawal began. */
  async withdraw(name: string, entry: WaitingEntry, deadline: number): Promise<number> {
    const [outcome, now] = await this.tryWithdraw(name, entry, deadline);
    if (outcome === 'elsewhere') {
      const waiters = waitingClients(name);
      const asked = this.commands.run(scripts.lock.removeEntry, { waiters }, { entry: textOf(entry) }, deadline, name);
      await asked.catch((error: unknown) => {
        // Without the right to the set, it never got the entry.
        if (isPassing(error)) throw error;
      });
      // Its owner may have been given the lock in between.
      await this.tryWithdraw(name, entry, deadline);
    }
    return now;
  }

  private tryWithdraw(
    name: string,
    entry: WaitingEntry,
    deadline: number,
  ): Promise<ReplyOf<typeof scripts.lock.withdraw>> {
    const { owner } = entry;
    const mayGrant = this.mayGrant(name);
    const args = { owner, ...this.announcing(name), waiters: waitingClients(name), entry: textOf(entry), mayGrant };
    return this.commands.run(scripts.lock.withdraw, { lock: name }, args, deadline, name);
  }
}

/** An entry to be withdrawn. */
interface Withdrawal {
  readonly name: string;
  readonly entry: WaitingEntry;
  readonly lease: number;
  readonly notAfter: number;
}

/** A release of unknown outcome, with the entry that it carried. */
interface CarryingRelease {
  readonly name: string;
  readonly owner: OwnerId;
  readonly lease: number;
  readonly notAfter: number;
  /** To be called once no copy of it can take effect. */
  readonly settle: () => void;
}

/**
 * The plain lock, which clients of ours give to one another.
 *
 * The operations of a lock that is given by the client that releases it to the client that has waited longest. A client
 * that has no entry, such as one of Redisson, gets its turn as well: the lock is then free for a moment.
 */
export class RedisGrantingLock extends RedisLock {
  private readonly withdrawals: OrphanReleaser<Withdrawal>;
  private readonly carriers: OrphanReleaser<CarryingRelease>;
  /** The last instant of the server's clock at which an unanswered request may still add an entry. */
  private readonly limits = new WeakMap<WaitingEntry, number>();
  private readonly withdrawn = new WeakSet<WaitingEntry>();

  constructor(
    commands: ScriptExecutor,
    scheduler: MonotonicScheduler,
    private readonly granting: GrantingLockScripts,
    replicas?: Replicas,
  ) {
    super(commands, scheduler, granting, replicas);
    this.withdrawals = new OrphanReleaser(scheduler, async ({ name, entry }) => {
      // Unless a request about the entry was on its way, nothing can add it after this.
      const isLast = !this.limits.has(entry);
      const now = await this.whenReady(name, (deadline) => granting.withdraw(name, entry, deadline));
      return isLast ? Number.POSITIVE_INFINITY : now;
    });
    const releaseForGood = async ({ name, owner, settle }: CarryingRelease): Promise<number> => {
      await this.tryRelease({ name, owner });
      // Its owner is gone: a copy of the release that is executed late adds nothing.
      settle();
      return Number.POSITIVE_INFINITY;
    };
    this.carriers = new OrphanReleaser(scheduler, releaseForGood, ({ settle }) => settle());
  }

  /** Whether clients can wait for grants of this lock. */
  canWait(name: string): boolean {
    return this.replicas === undefined && this.commands.knowsReceivers(name);
  }

  /** The channel on which a client is sent its grants of this lock. */
  grantChannel(name: string, clientId: string): GrantChannel {
    return new RedisGrantChannel(this.commands, this.scheduler, name, clientId);
  }

  /** An entry that was not sent yet. @param lease Milliseconds. */
  entryOf(owner: OwnerId, lease: number): WaitingEntry {
    return { owner, lease, firstLease: Math.min(lease, longestFirstLease(this.commands)) };
  }

  /**
   * Acquires the lock, or waits for it on the server. If the outcome stays unknown, the entry must be withdrawn, unless
   * its owner was given the lock.
   */
  wait(request: WaitRequest): Promise<WaitOutcome> {
    const { name, entry } = request;
    this.withdrawn.delete(entry);
    return this.inTime({
      ...this.about(name, this.deadline(entry.lease)),
      inTurn: true,
      send: (limits) => {
        // A request that came too late is sent again, but not after the entry was withdrawn.
        if (this.withdrawn.has(entry)) return Promise.resolve<WaitReply>(['gone', 0, '', 0]);
        if (request.isNew) this.limits.set(entry, this.commands.latest(name, limits.notAfter));
        return this.granting.wait(request, limits);
      },
      read: (reply, sent) => {
        // After a malformed reply, the request may still take effect.
        if (reply.length === 2 && reply[0] !== entry.lease) throw unexpectedReply(reply);
        if (request.isNew) this.limits.delete(entry);
        return this.readWaited(request, reply, sent);
      },
    });
  }

  /**
   * Removes the entry, and passes the lock on if its owner was given it. If the outcome stays unknown, the backend
   * retries in the background.
   */
  withdraw(name: string, entry: WaitingEntry): void {
    const notAfter = this.limits.get(entry) ?? 0;
    this.withdrawn.add(entry);
    this.withdrawals.releaseInBackground({ name, entry, lease: entry.lease, notAfter });
  }

  override release(request: ReleaseRequest): Promise<ReleaseOutcome> {
    return isChosenOwner(request.owner) ? this.releaseChosen(request) : super.release(request);
  }

  /**
   * Releases the lock of an owner that may acquire it again. So no copy of a request can take effect once there is an
   * answer, and what stays unknown is not repeated in the background.
   */
  private async releaseChosen(request: ReleaseRequest): Promise<ReleaseOutcome> {
    const { name } = request;
    const attempt = (): Promise<ReleaseOutcome> => {
      const deadline = this.deadline();
      const asked = this.inTime({
        ...this.about(name, deadline),
        send: (limits) => this.granting.releaseChosen(request, limits),
        read: ([outcome]): ReleaseOutcome | undefined => (outcome === 'late' ? undefined : { outcome }),
      });
      return asked.catch((error: unknown) => rejectOnceRefused(this.scheduler, deadline, error));
    };
    return attempt().catch(async (first: unknown) => {
      const released = await sendAgain(first, attempt);
      return released.outcome === 'not-held' && isUnknown(first) ? { outcome: 'released-before' } : released;
    });
  }

  override async finish(ms: number): Promise<void> {
    const end = this.scheduler.now() + ms;
    await Promise.all([super.finish(ms), this.carriers.finish(ms)]);
    // When releases have settled, the entries that they carried are withdrawn.
    await this.withdrawals.finish(Math.max(0, end - this.scheduler.now()));
  }

  protected override releaseInBackground(request: ReleaseRequest): void {
    const { name, owner, lease, again: entry } = request;
    if (!entry) return super.releaseInBackground(request);
    let isSettled = false;
    // A reply may come after the release was given up.
    const settle = (): void => {
      if (!isSettled) entry.onSettled();
      isSettled = true;
    };
    this.carriers.releaseInBackground({ name, owner, lease, settle, notAfter: 0 });
  }

  private readWaited(
    { name, entry: { owner, lease } }: WaitRequest,
    reply: WaitReply,
    sent: Stopwatch,
  ): WaitOutcome | Promise<WaitOutcome> | undefined {
    if (reply.length === 2) return this.confirmed({ name, owner, lease }, { outcome: 'acquired', sent });
    const [outcome, remaining, detail] = reply;
    if (outcome === 'busy') return { outcome, remaining, holder: detail };
    if (outcome === 'gone') return { outcome };
    if (outcome === 'wrong-type') throw wrongKeyType(name, detail);
    return undefined;
  }
}
