import type { OwnerId } from '../../context/owner-ids.js';
import { limitPermits } from '../../keys/redisson-keys.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';

/** The place of a waiter in the queue of a limit. */
export interface LimitPlace {
  /** Its number: higher than those of all places before. */
  readonly at: number;
  /** The instant until which it is kept, on the store's clock. */
  readonly until: number;
}

/** The permits of a limit, and the places of those that wait for one. */
export interface LimitPermits {
  /** The limit that the last owner was admitted with. */
  readonly limit: number;
  /** When the permit of each owner ends, on the store's clock. */
  readonly deadlines: ReadonlyMap<OwnerId, number>;
  /** In order of arrival. */
  readonly places: ReadonlyMap<OwnerId, LimitPlace>;
}

/** The number of the first place of a queue. */
const FIRST_PLACE = -9_000_000_000_000;

const NO_PLACES: ReadonlyMap<OwnerId, LimitPlace> = new Map();

/** The waiter at the front of a queue. */
interface Head {
  readonly owner: OwnerId | undefined;
  /** Milliseconds for which its place is kept. */
  readonly left: number;
  /** Whether it, or no waiter, has become the head just now. */
  readonly isNew: boolean;
}

/** The permits of each limit. */
export const limitTable = (store: MemoryStore): MemoryTable<LimitPermits> => new MemoryTable(store, 'zset of a limit');

/** The permits of limits, and their queues: the executable specification of `scripts/shared/limit/*.lua`. */
export class MemoryLimitData {
  private readonly limits: MemoryTable<LimitPermits>;

  constructor(private readonly store: MemoryStore) {
    this.limits = limitTable(store);
  }

  /** @throws LockKeyTypeError if the name belongs to a value of another type. */
  get(name: string): LimitPermits | undefined {
    return this.limits.get(limitPermits(name));
  }

  /** The same, but `undefined` for a value of another type. */
  find(name: string): LimitPermits | undefined {
    return this.limits.find(limitPermits(name));
  }

  /** Lets a permit that the owner has last `lease` ms from now. */
  keepPermit(name: string, owner: OwnerId, lease: number): 'none' | 'kept' | 'shortened' {
    const key = limitPermits(name);
    const stored = this.limits.find(key);
    const before = stored && this.inUse(stored).get(owner);
    if (!stored || before === undefined) return 'none';
    const deadline = this.store.now() + lease;
    this.set(key, { ...stored, deadlines: new Map(stored.deadlines).set(owner, deadline) }, lease);
    return deadline < before ? 'shortened' : 'kept';
  }

  /** How a limit is used: `isRepeated`: the owner has a permit. */
  usage(
    name: string,
    owner: OwnerId,
    stored = this.limits.get(limitPermits(name)),
  ): { readonly before: number; readonly inUse: number; readonly isRepeated: boolean } {
    const deadlines = this.inUse(stored);
    return { before: stored?.limit ?? 0, inUse: deadlines.size, isRepeated: deadlines.has(owner) };
  }

  /** The permit whose end leaves fewer than `limit`. */
  blocking(name: string, limit: number): { readonly holder: OwnerId; readonly remaining: number } {
    const deadlines = this.inUse(this.limits.find(limitPermits(name)));
    const [holder = '', deadline = 0] = latestFirst(deadlines)[limit - 1] ?? [];
    return { holder, remaining: this.msUntil(deadline) };
  }

  /** Gives a permit, and removes those that have ended. Returns how many are in use then. */
  take(name: string, owner: OwnerId, lease: number, limit: number): number {
    const key = limitPermits(name);
    const stored = this.limits.get(key);
    const deadlines = this.inUse(stored).set(owner, this.store.now() + lease);
    this.set(key, { limit, deadlines, places: stored?.places ?? NO_PLACES }, lease);
    return deadlines.size;
  }

  removePermit(name: string, owner: OwnerId): void {
    this.change(name, ({ deadlines, ...stored }) => {
      // Permits that have ended are removed by the next owner that is admitted.
      return { ...stored, deadlines: new Map([...deadlines].filter(([other]) => other !== owner)) };
    });
  }

  /** Removes the permits of all owners. */
  removePermits(name: string): void {
    this.change(name, (stored) => ({ ...stored, deadlines: new Map() }));
  }

  /** The head, once the places at the front that have ended are removed. */
  headOf(name: string): Head {
    const places = [...(this.limits.find(limitPermits(name))?.places ?? [])];
    const alive = places.findIndex(([, { until }]) => until > this.store.now());
    const rest = alive === -1 ? [] : places.slice(alive);
    const isNew = rest.length < places.length;
    if (isNew) this.change(name, (stored) => ({ ...stored, places: new Map(rest) }));
    const [head] = rest;
    return { owner: head?.[0], left: head ? head[1].until - this.store.now() : 0, isNew };
  }

  /** Keeps the place of an owner for `slot` ms from now; gives one behind all others if it has none. */
  setPlace(name: string, owner: OwnerId, slot: number): void {
    const until = this.store.now() + slot;
    this.change(
      name,
      (stored) => {
        const last = [...stored.places.values()].at(-1)?.at ?? FIRST_PLACE - 1;
        const at = stored.places.get(owner)?.at ?? last + 1;
        return { ...stored, places: new Map(stored.places).set(owner, { at, until }) };
      },
      slot,
    );
  }

  removePlace(name: string, owner: OwnerId): boolean {
    if (!this.limits.find(limitPermits(name))?.places.has(owner)) return false;
    this.change(name, ({ places, ...stored }) => ({
      ...stored,
      places: new Map([...places].filter(([other]) => other !== owner)),
    }));
    return true;
  }

  deleteIfEmpty(name: string): void {
    const key = limitPermits(name);
    const { owner } = this.headOf(name);
    if (owner === undefined && this.inUse(this.limits.find(key)).size === 0) this.store.delete(key);
  }

  /** @param lasting Milliseconds for which the set is kept at least. */
  private change(name: string, change: (stored: LimitPermits) => LimitPermits, lasting?: number): void {
    const key = limitPermits(name);
    const stored = this.limits.find(key);
    if (!stored) return;
    if (lasting === undefined) this.limits.set(key, change(stored));
    else this.set(key, change(stored), lasting);
  }

  inUse(stored: LimitPermits | undefined): Map<OwnerId, number> {
    const now = this.store.now();
    return new Map([...(stored?.deadlines ?? [])].filter(([, deadline]) => deadline > now));
  }

  /** The set lasts as long as its longest permit has lasted. */
  private set(key: string, value: LimitPermits, lease: number): void {
    this.limits.set(key, value, Math.max(this.store.remaining(key), lease));
  }

  private msUntil(deadline: number): number {
    return Math.ceil(deadline - this.store.now());
  }
}

/** In the order of a sorted set read from its end. */
const latestFirst = (deadlines: ReadonlyMap<OwnerId, number>): readonly (readonly [OwnerId, number])[] =>
  [...deadlines].toSorted(([a, one], [b, other]) => other - one || (a < b ? 1 : -1));
