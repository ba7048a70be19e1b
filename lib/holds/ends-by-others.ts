import type { LockBackend } from '../backend/lock-backend.js';
import type { PubSub } from '../backend/pubsub.js';
import { isPassing } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import { holdersChannel, keyspaceChannel, limitPermits } from '../keys/redisson-keys.js';
import { ListNode } from '../linked-list.js';
import { DelayedList } from '../time/delayed-list.js';
import type { MonotonicScheduler } from '../time/scheduler.js';
import { ChannelListener, type ChannelReceiver } from '../waiting/channel-listener.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { Lease } from '../watchdog/lease.js';
import { type LockFamily, storedName } from './lock-kind.js';
import { replacedError } from './loss.js';

/** How long code has its signal before the process listens, ms: most holds are over by then, and cost nothing. */
const LISTENS_AFTER_MS = 100;

/** A lock; without a kind, one of any family by its stored name. */
interface NamedLock {
  readonly name: string;
  readonly kind?: { readonly family: LockFamily };
}

/** A grant that can be ended by others. */
interface WatchedGrant extends NamedLock {
  readonly owner: OwnerId;
  readonly kind: { readonly family: LockFamily; readonly isReplaceable?: boolean };
  readonly lease: Pick<Lease, 'lose'>;
  /** Asks the server whether it still has the lock, after the commands in flight. */
  verifyAfterCommands(): Promise<void>;
  /** Signals the holder to stop. */
  abort(reason: Error): void;
}

/** A grant whose code has its signal. */
export class Watch extends ListNode<Watch> {
  /** Once it listens. */
  channel: HoldersChannel | undefined = undefined;

  /** @param due When it begins to listen, on the scheduler's clock. */
  constructor(
    readonly grant: WatchedGrant,
    readonly due: number,
  ) {
    super();
  }
}

/** Its owner is asked to end, or has lost the lock. */
const MESSAGE = /^(replaced?) (.+)$/s;

/** Events of a key that is there no more under its name. UNLINK is a `del` as well. */
const KEY_ENDS: ReadonlySet<string> = new Set(['del', 'expired', 'rename_from']);

/** The channel on which the holders of one name are told, while it has users. */
class HoldersChannel implements ChannelReceiver {
  users = 0;
  /** Acquisitions under way, of which a grant may come that a message has overtaken. */
  acquiring = 0;
  private readonly grants = new Set<WatchedGrant>();
  /** Messages meanwhile. */
  private readonly early = new Set<string>();
  /** Resolves once it is subscribed to, or cannot be for now. */
  readonly whenBegun: Promise<void>;
  private begun = (): void => {};

  constructor(
    private readonly clientId: string,
    private readonly onError: (error: unknown) => void,
  ) {
    this.whenBegun = new Promise((resolve) => (this.begun = resolve));
  }

  /** A message may have been missed. After a reconnection, the watchdog asks about every grant. */
  onSubscribed(): void {
    this.begun();
    this.verifyAll();
  }

  onUnsubscribed(): void {
    this.begun();
  }

  onFailed(error: unknown): void {
    this.begun();
    this.onError(error);
  }

  onMessage(message: string | undefined): void {
    if (message === undefined) return;
    for (const grant of this.grants) tellGrant(grant, message);
    // Other processes have owners of their own.
    if (this.acquiring > 0 && (!MESSAGE.test(message) || message.includes(this.clientId))) this.early.add(message);
  }

  add(grant: WatchedGrant): void {
    this.grants.add(grant);
    for (const message of this.early) tellGrant(grant, message);
  }

  delete(grant: WatchedGrant): void {
    this.grants.delete(grant);
  }

  endAcquisition(): void {
    this.acquiring -= 1;
    if (this.acquiring === 0) this.early.clear();
  }

  verifyAll(): void {
    for (const grant of this.grants) void grant.verifyAfterCommands();
  }
}

/** Tells a grant what may concern it: whatever is not for one owner, it asks the server about. */
const tellGrant = (grant: WatchedGrant, message: string): void => {
  const [, word, owner] = MESSAGE.exec(message) ?? [];
  if (owner === undefined) void grant.verifyAfterCommands();
  else if (owner === grant.owner) {
    grant.abort(replacedError(grant.name, owner));
    if (word === 'replaced') grant.lease.lose('gone');
  }
};

/** A channel, and its subscriptions. */
interface Heard {
  readonly channel: HoldersChannel;
  readonly listeners: readonly ChannelListener[];
}

/** The parts of a connection that {@link EndsByOthers} needs. */
interface EndServices {
  readonly pubSub: PubSub;
  readonly inspection: Pick<LockBackend['inspection'], 'tellHolders'>;
  readonly scheduler: MonotonicScheduler;
  readonly events: LockEvents;
  /** Begins the ids of all owners of the connection that the application has not chosen. */
  readonly clientId: string;
  /** Findings of the start-up probe. */
  readonly server: {
    /** The database of whose keys the server tells each deletion; `undefined`: of none, or that is not known. */
    readonly notifiedDatabase: number | undefined;
  };
}

/**
 * Tells holders that others have ended their hold, by a forced release or because they take the lock over; where the server
 * tells what happens to keys, also by deleting the key. Their signals abort within a round trip instead of at the next
 * renewal. Only code that has its signal for some time listens, or may be replaced at any time.
 */
export class EndsByOthers {
  /** By the key of the lock. */
  private readonly heard = new Map<string, Heard>();
  private readonly waiting: DelayedList<Watch>;
  private isRefused = false;
  /** Whether the server has not denied this user a key's channel: trying another would only fill its log of denials. */
  private mayHearOfKeys = true;

  constructor(private readonly services: EndServices) {
    this.waiting = new DelayedList(services.scheduler, (watch) => this.listenFor(watch));
  }

  /** Listens for a grant whose code has its signal, until {@link unwatch}. */
  watch(grant: WatchedGrant): Watch {
    const watch = new Watch(grant, this.services.scheduler.now() + LISTENS_AFTER_MS);
    if (grant.kind.isReplaceable) this.listenFor(watch);
    else this.waiting.append(watch);
    return watch;
  }

  unwatch(watch: Watch): void {
    if (this.waiting.delete(watch) || !watch.channel) return;
    watch.channel.delete(watch.grant);
    this.leave(watch.grant, watch.channel);
    watch.channel = undefined;
  }

  /** Runs `work` while the name is listened to, so that no grant that comes of it misses a message. */
  async whileListening<T>(name: string, work: () => Promise<T>): Promise<T> {
    const channel = this.use({ name });
    channel.acquiring += 1;
    try {
      await channel.whenBegun;
      return await work();
    } finally {
      channel.endAcquisition();
      this.leave({ name }, channel);
    }
  }

  /** Subscribes unless subscribed already: the first subscription may have failed. */
  retry({ grant }: Watch): void {
    for (const listener of this.heard.get(keyOf(grant))?.listeners ?? []) listener.listen();
  }

  /** Tells the processes that hold a name, once a hold of it was ended. A failure leaves it to their next renewals. */
  async tell(lock: NamedLock): Promise<void> {
    if (isOnQuorum(lock)) return;
    await this.services.inspection.tellHolders(nameOf(lock)).catch((error: unknown) => this.failed(error));
  }

  private listenFor(watch: Watch): void {
    const { grant } = watch;
    if (isOnQuorum(grant)) return;
    const channel = this.use(grant);
    watch.channel = channel;
    channel.add(grant);
    // Others listen already, and the messages of before were not for this grant. Of one that is replaceable, none came before.
    if (channel.users > 1 && !grant.kind.isReplaceable) void grant.verifyAfterCommands();
  }

  private use(lock: NamedLock): HoldersChannel {
    const { channel, listeners } = this.heard.get(keyOf(lock)) ?? this.add(lock);
    channel.users += 1;
    for (const listener of listeners) listener.listen();
    return channel;
  }

  private add(lock: NamedLock): Heard {
    const { pubSub, clientId, server } = this.services;
    const channel = new HoldersChannel(clientId, (error) => this.failed(error));
    const key = keyOf(lock);
    const listeners = [new ChannelListener(pubSub, holdersChannel(nameOf(lock)), channel)];
    if (server.notifiedDatabase !== undefined && this.mayHearOfKeys) {
      const notifications = keyspaceChannel(server.notifiedDatabase, key);
      listeners.push(new ChannelListener(pubSub, notifications, this.toldOfKey(channel)));
    }
    const heard = { channel, listeners };
    this.heard.set(key, heard);
    return heard;
  }

  /** A release of our own deletes the key as well, but its grant has left the channel before. */
  private toldOfKey(channel: HoldersChannel): ChannelReceiver {
    return {
      onMessage: (event) => {
        // Not kept for an acquisition under way, unlike other messages: mostly the holder before has released.
        if (event !== undefined && KEY_ENDS.has(event)) channel.verifyAll();
      },
      // Usually in the same turn as the other subscription, so that the server is asked once.
      onSubscribed: () => channel.verifyAll(),
      onDenied: (listener) => {
        this.mayHearOfKeys = false;
        listener.close();
      },
      onFailed: (error) => this.failed(error),
    };
  }

  private leave(lock: NamedLock, channel: HoldersChannel): void {
    channel.users -= 1;
    if (channel.users > 0) return;
    const key = keyOf(lock);
    for (const listener of this.heard.get(key)?.listeners ?? []) listener.close();
    this.heard.delete(key);
  }

  /** Nobody waits for a message, so no caller learns of a failure; one that will come again is told once. */
  private failed(error: unknown): void {
    if (isPassing(error) || this.isRefused) return;
    this.isRefused = true;
    this.services.events.emit({ type: 'unexpected', error });
  }
}

/** The servers of a RedLock tell nobody: a minority of them may be out of date. */
const isOnQuorum = ({ kind }: NamedLock): boolean => kind?.family === 'quorum';

const nameOf = ({ name, kind }: NamedLock): string => (kind ? storedName({ family: kind.family, name }) : name);

/** The key of a lock: a limit has another than the locks of its name. */
const keyOf = (lock: NamedLock): string => (lock.kind?.family === 'limit' ? limitPermits(lock.name) : nameOf(lock));
