import type { LockBackend } from '../backend/lock-backend.js';
import type { GrantChannel } from '../backend/kinds/lock/granting-lock.js';
import type { PubSub } from '../backend/pubsub.js';
import type { ReleaseOutcome, WaitingEntry } from '../backend/lock-operations.js';
import type { OwnerIds } from '../context/owner-ids.js';
import { LockUnavailableError } from '../errors.js';
import { clientsChannel } from '../keys/redisson-keys.js';
import type { AttemptResult, Busy, NextEntry, ServerWait, ServerWaitListener } from './attempt-strategy.js';
import { ChannelListener, type ChannelReceiver } from './channel-listener.js';
import { type Acquired, leaseSpent } from './lock-attempts.js';

/** The parts that the entries of one client share. */
interface EntryServices {
  readonly locks: LockBackend['lock'];
  readonly owners: OwnerIds;
  readonly pubSub: PubSub;
  /** Called with the milliseconds after which a release that passed the lock on was answered. */
  readonly onPassedOn: (ms: number) => void;
}

/**
 * none → entered: an attempt was sent, so that the server may have the entry. none → carried: a release that has the
 * entry with it was sent; it settles as entered or none. While carried, the entry is neither asked about nor withdrawn,
 * since the release could add it afterwards; whether its client still wants it shows only then. entered, carried → none:
 * granted or withdrawn.
 */
type EntryState = { readonly name: 'none' } | { readonly name: 'entered'; readonly entry: WaitingEntry } | Carried;

interface Carried {
  readonly name: 'carried';
  readonly entry: WaitingEntry;
  /** Whether the entry is to be withdrawn once the release has settled. */
  isForgotten: boolean;
  /** Whether the release was not answered in time. */
  isUnanswered: boolean;
  /**
   * Whether waiters must ask once the release is over: an attempt found the lock held because of it, or a grant may have
   * been missed.
   */
  mustAsk: boolean;
}

const NONE = { name: 'none' } as const;

/** The outcomes of a release after which the entry that it carried may wait, or have been granted. */
const MAY_HAVE_ENTRY: ReadonlySet<ReleaseOutcome['outcome']> = new Set(['passed-on', 'kept', 'released-before']);

/**
 * The entry of this client among those that wait for one lock. Its owner is the only one that a grant can be for: a
 * message or a reply for another owner is late, and what it tells is over or is being undone.
 */
export class ClientEntry implements ServerWait<number, Acquired>, ChannelReceiver {
  private readonly channel: GrantChannel;
  private readonly grants: ChannelListener;
  /** Brings no messages: the server counts who subscribes to it. */
  private readonly clients: ChannelListener;
  private state: EntryState = NONE;

  constructor(
    private readonly name: string,
    private readonly services: EntryServices,
    private readonly waiting: ServerWaitListener<Acquired>,
  ) {
    this.channel = services.locks.grantChannel(name, services.owners.clientId);
    this.grants = new ChannelListener(services.pubSub, this.channel.name, this);
    this.clients = new ChannelListener(services.pubSub, clientsChannel(name), this);
  }

  get isListening(): boolean {
    // Only now is it certain whether grants are possible: the queue may be older than the connection.
    return this.grants.isSubscribed && this.clients.isSubscribed && this.services.locks.canWait(this.name);
  }

  isWaiting(lease: number): boolean {
    return this.state.name !== 'none' && this.state.entry.lease === lease;
  }

  listen(): void {
    this.grants.listen();
    this.clients.listen();
  }

  async attempt(lease: number): Promise<AttemptResult<Acquired>> {
    const { state } = this;
    if (state.name === 'carried') return this.busyReleasing(state);
    if (state.name === 'entered' && state.entry.lease === lease) return this.ask(state.entry, false);
    this.withdraw();
    const entry = this.newEntry(lease);
    this.state = { name: 'entered', entry };
    return this.ask(entry, true);
  }

  entryFor(lease: number): NextEntry<Acquired> | undefined {
    if (this.state !== NONE || !this.isListening) return undefined;
    const entry = this.newEntry(lease);
    const flags = { isForgotten: false, isUnanswered: false, mustAsk: false };
    const carried: Carried = { name: 'carried', entry, ...flags };
    this.state = carried;
    return {
      ...entry,
      afterRelease: (outcome) => this.afterRelease(carried, outcome),
      onSettled: () => {
        this.settle(carried);
        this.waiting.onMissed();
      },
    };
  }

  withdraw(): void {
    const { state } = this;
    if (state.name === 'carried') state.isForgotten = true;
    else if (state.name === 'entered') this.giveUp(state.entry);
  }

  close(): void {
    this.grants.close();
    this.clients.close();
    this.withdraw();
  }

  onMessage(message: string | undefined, from: ChannelListener): void {
    const { state } = this;
    if (from === this.clients) return;
    if (state.name === 'none' || (state.name === 'carried' && state.isForgotten)) return;
    const grant = message === undefined ? undefined : this.channel.read(message);
    // Of unknown age, or most of its lease is over: an attempt tells whether it still counts.
    if (!grant || leaseSpent(this.name, grant)) return this.missed(state);
    if (grant.owner !== state.entry.owner) return;
    this.state = NONE;
    this.waiting.onGranted({ ...grant, fence: undefined });
  }

  /** The channel of releases, which is subscribed to after these, wakes the waiters. */
  onSubscribed(): void {}

  onFailed(error: unknown): void {
    this.waiting.onFailed(error);
  }

  private async ask(entry: WaitingEntry, isNew: boolean): Promise<AttemptResult<Acquired>> {
    const { lease } = entry;
    try {
      const reply = await this.services.locks.wait({ name: this.name, entry, isNew });
      if (reply.outcome === 'busy' || reply.outcome === 'reserved') {
        const { outcome: _, ...busy } = reply;
        return busy;
      }
      // Granted by a message that overtook this reply, or withdrawn: for others, the lock is held.
      if (!this.has(entry)) return { holder: entry.owner, remaining: lease };
      if (reply.outcome === 'gone') {
        // Another request for it may be on its way, which adds it.
        this.giveUp(entry);
        // The next attempt is for those that still wait then.
        this.waiting.onMissed();
        return { remaining: -1 };
      }
      const acquired = { owner: entry.owner, sent: reply.sent, lease, fence: undefined };
      const spent = leaseSpent(this.name, acquired);
      if (spent) {
        this.giveUp(entry);
        throw spent;
      }
      this.state = NONE;
      return { got: acquired };
    } catch (error) {
      // Executed late, a request for a new entry could acquire for an owner that has released before.
      if (isNew && this.has(entry)) this.giveUp(entry);
      throw error;
    }
  }

  /** The lock may become that of the entry which the release carries. When the release has settled, the waiters wake. */
  private busyReleasing(carried: Carried): Busy {
    carried.mustAsk = true;
    if (!carried.isUnanswered) return { holder: carried.entry.owner, remaining: -1 };
    const why = 'Redis has not confirmed yet that the previous holder of this process released the lock';
    throw new LockUnavailableError(why, 'not-sent', false, { lockName: this.name });
  }

  private afterRelease(carried: Carried, outcome: ReleaseOutcome | undefined): Acquired | undefined {
    carried.isUnanswered = !outcome;
    if (!outcome) return undefined;
    if (outcome.outcome === 'passed-on' && outcome.sent) this.services.onPassedOn(outcome.sent.leastElapsed);
    // Granted by a message that overtook the reply.
    if (this.state !== carried) return undefined;
    if (outcome.outcome === 'kept' && !carried.isForgotten) {
      const { owner, lease } = carried.entry;
      const kept = { owner, sent: outcome.sent, lease, fence: undefined, isAlone: true };
      if (!leaseSpent(this.name, kept)) {
        this.state = NONE;
        return kept;
      }
      // The next attempt is told again that it has the lock, and renews the lease.
      carried.mustAsk = true;
    }
    if (MAY_HAVE_ENTRY.has(outcome.outcome)) this.settle(carried);
    else this.state = NONE;
    if (carried.mustAsk) this.waiting.onMissed();
    return undefined;
  }

  /** The release is over, and the server may have the entry. */
  private settle(carried: Carried): void {
    const { entry, isForgotten } = carried;
    if (this.state !== carried) return;
    this.state = { name: 'entered', entry };
    if (isForgotten) this.giveUp(entry);
  }

  private has(entry: WaitingEntry): boolean {
    return this.state.name !== 'none' && this.state.entry === entry;
  }

  private newEntry(lease: number): WaitingEntry {
    const { locks, owners } = this.services;
    return locks.entryOf(owners.next(), lease);
  }

  private giveUp(entry: WaitingEntry): void {
    this.state = NONE;
    this.services.locks.withdraw(this.name, entry);
  }

  private missed(state: EntryState): void {
    if (state.name === 'carried') state.mustAsk = true;
    else this.waiting.onMissed();
  }
}
