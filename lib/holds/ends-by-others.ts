import type { LockBackend } from '../backend/lock-backend.js';
import type { PubSub } from '../backend/pubsub.js';
import { isPassing } from '../errors.js';
import type { LockEvents } from '../events/lock-events.js';
import { holdersChannel } from '../keys/redisson-keys.js';
import { LinkedList, ListNode } from '../linked-list.js';
import type { MonotonicScheduler, ScheduledTask } from '../time/scheduler.js';
import { ChannelListener, type ChannelReceiver } from '../waiting/channel-listener.js';
import { type LockFamily, storedName } from './lock-kind.js';

/** How long code has its signal before the process listens, ms: most holds are over by then, and cost nothing. */
const LISTENS_AFTER_MS = 100;

/** A lock; without a kind, one of any family by its stored name. */
interface NamedLock {
  readonly name: string;
  readonly kind?: { readonly family: LockFamily };
}

/** A grant that can be ended by others. */
interface WatchedGrant extends NamedLock {
  /** Asks the server whether it still has the lock, after the commands in flight. */
  verifyAfterCommands(): Promise<void>;
}

/** A grant whose code has its signal. */
export class Watch extends ListNode<Watch> {
  /** @param due When it begins to listen, on the scheduler's clock. */
  constructor(
    readonly grant: WatchedGrant,
    readonly due: number,
  ) {
    super();
  }
}

/** The channel of a name, while a grant of it listens. */
class HeldName implements ChannelReceiver {
  readonly watches = new Set<Watch>();

  constructor(readonly onFailed: (error: unknown) => void) {}

  /** The first message may have been missed. After a reconnection, the watchdog asks about every grant. */
  onSubscribed(): void {
    this.verifyAll();
  }

  onMessage(message: string | undefined): void {
    if (message !== undefined) this.verifyAll();
  }

  private verifyAll(): void {
    for (const { grant } of this.watches) void grant.verifyAfterCommands();
  }
}

/** The parts of a connection that {@link EndsByOthers} needs. */
interface EndServices {
  readonly pubSub: PubSub;
  readonly inspection: Pick<LockBackend['inspection'], 'tellHolders'>;
  readonly scheduler: MonotonicScheduler;
  readonly events: LockEvents;
}

/**
 * Tells holders that others have ended their hold, such as by a forced release: their signals abort within a round trip
 * instead of at the next renewal. Only code that has its signal for some time listens; the message is a hint, upon which
 * the process asks the server.
 */
export class EndsByOthers {
  private readonly names = new Map<string, { readonly held: HeldName; readonly listener: ChannelListener }>();
  /** In the order in which they are due. */
  private readonly waiting = new LinkedList<Watch>();
  private timer: ScheduledTask | undefined;
  private isRefused = false;

  constructor(private readonly services: EndServices) {}

  /** Listens for a grant whose code has its signal, until {@link unwatch}. */
  watch(grant: WatchedGrant): Watch {
    const watch = new Watch(grant, this.services.scheduler.now() + LISTENS_AFTER_MS);
    this.waiting.append(watch);
    // One timer for all: most end before it, and none of them sets another.
    this.timer ??= this.services.scheduler.schedule(LISTENS_AFTER_MS, () => this.listenDue());
    return watch;
  }

  unwatch(watch: Watch): void {
    if (this.waiting.delete(watch)) return;
    const name = nameOf(watch.grant);
    const found = this.names.get(name);
    if (!found?.held.watches.delete(watch) || found.held.watches.size > 0) return;
    this.names.delete(name);
    found.listener.close();
  }

  /** Subscribes unless subscribed already: the first subscription may have failed. */
  retry({ grant }: Watch): void {
    this.names.get(nameOf(grant))?.listener.listen();
  }

  /** Tells the processes that hold a name, once a hold of it was ended. A failure leaves it to their next renewals. */
  async tell(lock: NamedLock): Promise<void> {
    if (isOnQuorum(lock)) return;
    await this.services.inspection.tellHolders(nameOf(lock)).catch((error: unknown) => this.failed(error));
  }

  private listenDue(): void {
    this.timer = undefined;
    for (let { first } = this.waiting; first; { first } = this.waiting) {
      const left = first.due - this.services.scheduler.now();
      if (left > 0) {
        this.timer = this.services.scheduler.schedule(left, () => this.listenDue());
        return;
      }
      this.waiting.delete(first);
      this.listen(first);
    }
  }

  private listen(watch: Watch): void {
    if (isOnQuorum(watch.grant)) return;
    const name = nameOf(watch.grant);
    const known = this.names.get(name);
    if (known) {
      known.held.watches.add(watch);
      // The messages of before were for other grants.
      void watch.grant.verifyAfterCommands();
      return;
    }
    const held = new HeldName((error) => this.failed(error));
    held.watches.add(watch);
    const listener = new ChannelListener(this.services.pubSub, holdersChannel(name), held);
    this.names.set(name, { held, listener });
    listener.listen();
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
