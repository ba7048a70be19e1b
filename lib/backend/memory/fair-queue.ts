import { isOurs, type OwnerId } from '../../context/owner-ids.js';
import { firstLeaseIn, fractionOf } from '../fair-first-lease.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { fairDeadlines, fairQueue } from '../../keys/redisson-keys.js';

type Waiters = readonly OwnerId[];
type WaiterDeadlines = ReadonlyMap<OwnerId, number>;

export const waiterTable = (store: MemoryStore): MemoryTable<Waiters> => new MemoryTable(store, 'list');
export const deadlineTable = (store: MemoryStore): MemoryTable<WaiterDeadlines> => new MemoryTable(store, 'zset');

interface QueuedWaiter {
  readonly owner: OwnerId;
  /** Instant until which the place is kept; missing if a Java peer has lost it. */
  readonly deadline: number | undefined;
}

/**
 * Time to live of a queue beyond the last deadline in it, ms, and how much sooner its deadlines expire, which marks the
 * queue as ours.
 */
const QUEUE_GRACE_MS = 60_000;
const MARK_MS = 1000;
/**
 * Milliseconds that a Java peer takes off the deadlines behind it when it leaves: its wait limit, or Redisson's
 * default.
 */
const REDISSON_WAIT_MS = 300_000;

/**
 * The instant from which the deadline of the next place is counted, given that of the places before. A Java peer takes
 * its wait off the deadlines behind it when it leaves, and what is left then must still be in the future. Our own
 * places send heartbeats, so however many of their owners have died, they hold up those behind them for one slot only.
 */
const behind = ({ owner, deadline }: QueuedWaiter, last: number): number =>
  isOurs(owner) ? last : Math.max(last + REDISSON_WAIT_MS, deadline ?? 0);

/**
 * Subtracted from our own deadlines, ms: half a millisecond in a deadline marks one that includes the waits of Java peers
 * ahead. The rest of its fraction is the first lease.
 */
const BOOKED_MS = 0.5;

/** The queue of one fair lock: the executable specification of `scripts/shared/fair/*.lua`. */
export class MemoryFairQueue {
  private readonly waiters: MemoryTable<Waiters>;
  private readonly deadlines: MemoryTable<WaiterDeadlines>;
  private readonly queueName: string;
  private readonly deadlinesName: string;

  constructor(
    private readonly store: MemoryStore,
    name: string,
  ) {
    this.waiters = waiterTable(store);
    this.deadlines = deadlineTable(store);
    this.queueName = fairQueue(name);
    this.deadlinesName = fairDeadlines(name);
  }

  /** @throws LockKeyTypeError if one of the queue's names belongs to a value of another type. */
  assertUsable(): void {
    this.waiters.get(this.queueName);
    this.deadlines.get(this.deadlinesName);
  }

  get head(): QueuedWaiter | undefined {
    return this.places[0];
  }

  /** Whether Java peers have places. */
  get isMixed(): boolean {
    return this.places.some(({ owner }) => !isOurs(owner));
  }

  /** The head, and the lease for which the lock may be given to it; `undefined`: it is to be told instead. */
  get givable(): { readonly owner: OwnerId; readonly firstLease: number } | undefined {
    const { owner, deadline } = this.head ?? {};
    const firstLease = owner !== undefined && isOurs(owner) && deadline !== undefined ? firstLeaseIn(deadline) : 0;
    return owner === undefined || firstLease === 0 ? undefined : { owner, firstLease };
  }

  /** The owners whose places have not ended, in order. */
  get owners(): readonly OwnerId[] {
    const now = this.store.now();
    return this.places.filter(({ deadline = Infinity }) => deadline > now).map(({ owner }) => owner);
  }

  /** The first waiter of ours whose place has not ended, and whether the lock may be given to it. */
  get nextOfOurs(): { readonly owner: OwnerId; readonly isGiven: boolean } | undefined {
    const now = this.store.now();
    const next = this.places.find(({ owner, deadline = Infinity }) => isOurs(owner) && deadline > now);
    return next && { owner: next.owner, isGiven: firstLeaseIn(next.deadline ?? 0) > 0 };
  }

  /** Whether the owner has a place with a deadline. */
  has(owner: OwnerId): boolean {
    return this.places.some((place) => place.owner === owner && place.deadline !== undefined);
  }

  /** Ends the places at the front whose deadline has passed. Returns whether that has made another owner the head. */
  purge(): boolean {
    const { places } = this;
    const isOver = ({ deadline }: QueuedWaiter): boolean => deadline !== undefined && deadline <= this.store.now();
    const alive = places.findIndex((place) => !isOver(place));
    if (alive === 0 || places.length === 0) return false;
    this.write(alive === -1 ? [] : places.slice(alive));
    return alive !== -1;
  }

  /**
   * Appends a place for the owner, which is kept for one slot after every Java peer ahead has left. As in Redisson, a
   * Java peer at the front, which sends no heartbeats, gets the rest of the lease in addition.
   * @param remaining Milliseconds until the first in the queue may get the lock.
   * @param firstLease What a place of ours gets when the lock is given to it.
   */
  add(owner: OwnerId, slot: number, remaining: number, firstLease: number): void {
    const now = this.store.now();
    const ahead = this.places.filter((place) => place.owner !== owner);
    const start = ahead.length === 0 && !isOurs(owner) ? now + Math.max(remaining, 0) : now;
    const last = ahead.reduce((before, place) => behind(place, before), start);
    this.write([...ahead, { owner, deadline: isOurs(owner) ? this.keptUntil(last, slot, firstLease) : last + slot }]);
    this.limit();
  }

  /**
   * Shortens the deadlines of our places at the front if that of the head includes waits of Java peers that have left
   * and taken less off. A living process renews its deadlines with its next {@link keep}; a dead one would block a free
   * lock for minutes.
   */
  endBookings(slot: number): void {
    const { places } = this;
    const [head] = places;
    if (!head || this.withoutExcess(head, slot) === head) return;
    const java = places.findIndex(({ owner }) => !isOurs(owner));
    const front = java === -1 ? places.length : java;
    this.write(places.map((place, at) => (at < front ? this.withoutExcess(place, slot) : place)));
    this.limit();
  }

  /** A head without a deadline would never be found dead. */
  limitHead(slot: number): void {
    const [head, ...others] = this.places;
    if (!head || head.deadline !== undefined) return;
    this.write([{ ...head, deadline: this.store.now() + slot }, ...others]);
  }

  /**
   * As in Redisson, takes `slot` off the deadlines behind the place, which were counted from the one that ends. No
   * deadline is counted from our own places.
   */
  remove(owner: OwnerId, slot: number): void {
    const { places } = this;
    const at = places.findIndex((place) => place.owner === owner);
    if (at === -1) return;
    const off = isOurs(owner) ? 0 : slot;
    const lowered = places.slice(at + 1).map(({ deadline, ...place }) => ({
      ...place,
      deadline: deadline === undefined ? undefined : deadline - off,
    }));
    this.write([...places.slice(0, at), ...lowered]);
    this.limit();
  }

  /**
   * Renews the deadlines of `owners`: one slot from now, or from when Java peers ahead have left. Returns the owners
   * with a place.
   */
  keep(owners: readonly OwnerId[], slot: number): Set<OwnerId> {
    const alive = new Set(owners);
    const kept = new Set<OwnerId>();
    let last = this.store.now();
    const places = this.places.map((place) => {
      if (alive.has(place.owner)) {
        kept.add(place.owner);
        return { ...place, deadline: this.keptUntil(last, slot, firstLeaseIn(place.deadline ?? 0)) };
      }
      last = behind(place, last);
      return place;
    });
    if (places.length === 0) return kept;
    this.write(places);
    this.limitHead(slot);
    this.limit();
    return kept;
  }

  /** Deadline of one of our places, given the instant from which it is counted. */
  private keptUntil(last: number, slot: number, firstLease: number): number {
    return Math.ceil(last + slot) - (last > this.store.now() ? BOOKED_MS : 0) + fractionOf(firstLease);
  }

  private withoutExcess(place: QueuedWaiter, slot: number): QueuedWaiter {
    const { owner, deadline } = place;
    if (!isOurs(owner) || deadline === undefined || deadline % 1 < BOOKED_MS) return place;
    const enough = this.keptUntil(this.store.now(), slot, firstLeaseIn(deadline));
    return enough < deadline ? { owner, deadline: enough } : place;
  }

  private get places(): QueuedWaiter[] {
    const deadlines = this.deadlines.find(this.deadlinesName);
    // A value of another type under the name is left alone.
    if (!deadlines && this.store.entry(this.deadlinesName)) return [];
    return (this.waiters.find(this.queueName) ?? []).map((owner) => ({ owner, deadline: deadlines?.get(owner) }));
  }

  private write(places: readonly QueuedWaiter[]): void {
    const known = places.flatMap(({ owner, deadline }) => (deadline === undefined ? [] : [[owner, deadline] as const]));
    const owners = places.map(({ owner }) => owner);
    if (owners.length > 0) this.waiters.set(this.queueName, owners);
    else this.store.delete(this.queueName);
    if (known.length > 0) this.deadlines.set(this.deadlinesName, new Map(known));
    else this.store.delete(this.deadlinesName);
  }

  /**
   * A queue with only our own waiters expires when the last of them must be dead. One with a Redisson waiter does not
   * expire, as Redisson expects.
   */
  private limit(): void {
    const { places } = this;
    const now = this.store.now();
    const last = Math.max(now, ...places.map(({ deadline }) => deadline ?? now));
    const onlyOurs = places.every(({ owner }) => isOurs(owner));
    // The fraction of a deadline may be a mark, which is no time.
    const ttl = onlyOurs ? Math.floor(last - now + BOOKED_MS) + QUEUE_GRACE_MS : Number.POSITIVE_INFINITY;
    const [waiters, deadlines] = [this.waiters.find(this.queueName), this.deadlines.find(this.deadlinesName)];
    if (waiters) this.waiters.set(this.queueName, waiters, ttl);
    if (deadlines) this.deadlines.set(this.deadlinesName, deadlines, ttl - MARK_MS);
  }
}
