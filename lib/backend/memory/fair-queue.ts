import { isOurs, type OwnerId } from '../../context/ids.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { fairDeadlines, fairQueue } from '../../keys/redisson-keys.js';

type Waiters = readonly OwnerId[];
type WaiterDeadlines = ReadonlyMap<OwnerId, number>;

export const waiterTable = (store: MemoryStore): MemoryTable<Waiters> => new MemoryTable(store, 'list');
export const deadlineTable = (store: MemoryStore): MemoryTable<WaiterDeadlines> => new MemoryTable(store, 'zset');

interface QueuedWaiter {
  readonly owner: OwnerId;
  /** Until when the place is kept; a Java peer may have lost it. */
  readonly deadline: number | undefined;
}

/** How long a queue is kept beyond the last deadline in it, and by how much less the deadlines are, which marks it as ours. */
const QUEUE_GRACE_MS = 60_000;
const MARK_MS = 1000;
/** What a Java peer takes off the deadlines behind it when it leaves: its wait, or Redisson's default of that. */
const REDISSON_WAIT_MS = 300_000;

/**
 * The instant on top of which a place behind this one is counted, given that of those before it: when every Java peer
 * ahead has left and taken its own wait off, what is left is still to come. Ours say again and again that they live, so
 * however many of them have died, they hold up those behind them for one slot.
 */
const behind = ({ owner, deadline }: QueuedWaiter, last: number): number =>
  isOurs(owner) ? last : Math.max(last + REDISSON_WAIT_MS, deadline ?? 0);

/** Taken off a deadline of ours, ms: marks that it counts Java peers ahead. */
const BOOKED_MS = 0.5;

/** The queue of one fair lock: the executable specification of `scripts/shared/fair-*.lua`. */
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

  /** @throws WrongKeyTypeError when something else lives under one of the queue's names. */
  assertUsable(): void {
    this.waiters.get(this.queueName);
    this.deadlines.get(this.deadlinesName);
  }

  get head(): QueuedWaiter | undefined {
    return this.places[0];
  }

  /** Whether the owner has a place that will end if nobody keeps it. */
  has(owner: OwnerId): boolean {
    return this.places.some((place) => place.owner === owner && place.deadline !== undefined);
  }

  /** Ends the places at the front whose time is over. Tells whether somebody has become the head by that. */
  purge(): boolean {
    const { places } = this;
    const isOver = ({ deadline }: QueuedWaiter): boolean => deadline !== undefined && deadline <= this.store.now();
    const alive = places.findIndex((place) => !isOver(place));
    if (alive === 0 || places.length === 0) return false;
    this.write(alive === -1 ? [] : places.slice(alive));
    return alive !== -1;
  }

  /**
   * Gives the owner a place at the end, which is kept for a slot, after every Java peer ahead has left. As Redisson: a Java
   * peer that is the first never says that it lives, so it gets what is left of the lease as well.
   * @param remaining Milliseconds until the first in the queue may get the lock.
   */
  add(owner: OwnerId, slot: number, remaining: number): void {
    const now = this.store.now();
    const ahead = this.places.filter((place) => place.owner !== owner);
    const start = ahead.length === 0 && !isOurs(owner) ? now + Math.max(remaining, 0) : now;
    const last = ahead.reduce((before, place) => behind(place, before), start);
    this.write([...ahead, { owner, deadline: isOurs(owner) ? this.keptUntil(last, slot) : last + slot }]);
    this.limit();
  }

  /**
   * What was booked for Java peers is too much once they have left and have taken less off. A process that lives sets its
   * deadlines anew at its next {@link keep}; one that has died leaves minutes on a lock that is free. Takes such an excess
   * off the places of ours at the front, where the head has one.
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
   * As Redisson: takes `slot` off the deadlines of those behind, which were counted on top of the one that ends. On top of
   * ours nothing is counted.
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

  /** Sets the deadlines of `owners` anew, each a slot from now, or from when Java peers ahead have left. Gives who has a place. */
  keep(owners: readonly OwnerId[], slot: number): Set<OwnerId> {
    const alive = new Set(owners);
    const kept = new Set<OwnerId>();
    let last = this.store.now();
    const places = this.places.map((place) => {
      if (alive.has(place.owner)) {
        kept.add(place.owner);
        return { ...place, deadline: this.keptUntil(last, slot) };
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

  /** Until when a place of ours is kept, given the instant on top of which it is counted. */
  private keptUntil(last: number, slot: number): number {
    return Math.ceil(last + slot) - (last > this.store.now() ? BOOKED_MS : 0);
  }

  private withoutExcess(place: QueuedWaiter, slot: number): QueuedWaiter {
    const { owner, deadline } = place;
    if (!isOurs(owner) || deadline === undefined || deadline % 1 !== BOOKED_MS) return place;
    const enough = this.keptUntil(this.store.now(), slot);
    return enough < deadline ? { owner, deadline: enough } : place;
  }

  private get places(): QueuedWaiter[] {
    const deadlines = this.deadlines.find(this.deadlinesName);
    // What lies under a name of somebody else's is left alone.
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
   * A queue in which only we wait ends by itself when the last of us must be dead. One in which Redisson waits has no
   * end, as Redisson expects.
   */
  private limit(): void {
    const { places } = this;
    const now = this.store.now();
    const last = Math.max(now, ...places.map(({ deadline }) => deadline ?? now));
    const onlyOurs = places.every(({ owner }) => isOurs(owner));
    const ttl = onlyOurs ? Math.ceil(last - now) + QUEUE_GRACE_MS : Number.POSITIVE_INFINITY;
    const [waiters, deadlines] = [this.waiters.find(this.queueName), this.deadlines.find(this.deadlinesName)];
    if (waiters) this.waiters.set(this.queueName, waiters, ttl);
    if (deadlines) this.deadlines.set(this.deadlinesName, deadlines, ttl - MARK_MS);
  }
}
