import type { PermitId, PermitIds } from '../../context/permit-ids.js';
import type {
  PermitLeaseOutcome,
  PermitOutcome,
  PermitRelease,
  PermitRequest,
  PermitState,
  PermitOperations,
} from '../permit-operations.js';
import type { Renewal, RenewOutcome } from '../lock-operations.js';
import { MOST_PERMITS, tooManyPermits } from '../counter-operations.js';
import { counterTable, MemoryCounter } from './counters.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { permitDeadlines, semaphoreChannel } from '../../keys/redisson-keys.js';

/** Permits in use, each with the instant at which its lease ends; `Infinity`: it has none. */
export type PermitDeadlines = ReadonlyMap<PermitId, number>;

export const deadlineTable = (store: MemoryStore): MemoryTable<PermitDeadlines> =>
  new MemoryTable(store, 'zset of permits');

/** Both keys of a semaphore, read together, so that nothing is changed if one of them has another type. */
interface Pool {
  readonly available: number | undefined;
  readonly out: Map<PermitId, number>;
}

/** The permit-expirable semaphore in memory: the executable specification of `scripts/permits/*.lua`. */
export class MemoryPermits implements PermitOperations {
  private readonly counts: MemoryTable<number>;
  private readonly counter: MemoryCounter;
  private readonly deadlines: MemoryTable<PermitDeadlines>;

  constructor(private readonly store: MemoryStore) {
    this.counts = counterTable(store);
    this.counter = new MemoryCounter(store, semaphoreChannel, false);
    this.deadlines = deadlineTable(store);
  }

  async acquire({ name, ids, lease }: PermitRequest): Promise<PermitOutcome> {
    const sent = this.store.stopwatch();
    const before = this.read(name);
    if (before.out.has(ids[0])) return { outcome: 'acquired', sent, available: before.available ?? 0 };
    const { available, out } = this.sweep(name, ids.length);
    if ((available ?? 0) < ids.length) {
      const nearest = Math.min(...out.values());
      const remaining = nearest === Number.POSITIVE_INFINITY ? -1 : Math.max(0, Math.ceil(nearest - this.store.now()));
      return { outcome: 'busy', available: available ?? 0, isSet: available !== undefined, remaining };
    }
    const left = (available ?? 0) - ids.length;
    this.counts.set(name, left);
    for (const id of ids) out.set(id, this.store.now() + lease);
    this.write(name, out);
    const ttl = this.store.remaining(name);
    if (ttl > 0) this.deadlines.set(permitDeadlines(name), out, ttl);
    return { outcome: 'acquired', sent, available: left };
  }

  async release(name: string, id: PermitId): Promise<PermitRelease> {
    const { available = 0, out } = this.read(name);
    const deadline = out.get(id);
    if (deadline === undefined) return 'not-held';
    out.delete(id);
    this.write(name, out);
    this.counts.set(name, available + 1);
    if (available + 1 >= 0) this.announce(name);
    return deadline > this.store.now() ? 'released' : 'expired';
  }

  async releaseAll(name: string, ids: PermitIds): Promise<'released' | 'not-held'> {
    const before = this.read(name).out;
    if (!ids.every((id) => (before.get(id) ?? 0) > this.store.now())) return 'not-held';
    const { available = 0, out } = this.sweep(name);
    for (const id of ids) out.delete(id);
    this.write(name, out);
    this.counts.set(name, available + ids.length);
    this.announce(name);
    return 'released';
  }

  async updateLease(name: string, id: PermitId, lease: number): Promise<PermitLeaseOutcome> {
    const sent = this.store.stopwatch();
    const { out } = this.sweep(name);
    const before = out.get(id);
    if (before === undefined) return { outcome: 'not-held' };
    const deadline = this.store.now() + lease;
    this.write(name, out.set(id, deadline));
    if (deadline < before) this.announce(name);
    return { outcome: 'held', sent };
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const held = renewals.map(({ name, owner, lease }) => this.keep(name, owner, lease));
    return { sent: this.store.stopwatch(), held };
  }

  async lease(name: string, id: PermitId): Promise<number | undefined> {
    const deadline = this.sweep(name).out.get(id);
    return deadline === undefined ? undefined : Math.ceil(deadline - this.store.now());
  }

  async inspect(name: string): Promise<PermitState> {
    const { available, out } = this.sweep(name);
    return { isSet: available !== undefined, available: available ?? 0, out: out.size };
  }

  /** Until permits are set, this is an ordinary counter. */
  trySetPermits(name: string, total: number): Promise<boolean> {
    return this.counter.trySet(name, total);
  }

  async setPermits(name: string, total: number): Promise<void> {
    const { available, out } = this.read(name);
    const wanted = available === undefined ? total : total - out.size;
    if (wanted === available) return;
    this.counts.set(name, wanted);
    this.announce(name);
  }

  async addPermits(name: string, delta: number): Promise<void> {
    const { available = 0 } = this.read(name);
    if (Math.abs(available + delta) > MOST_PERMITS) throw tooManyPermits(name, available, delta);
    this.counts.set(name, available + delta, Number.POSITIVE_INFINITY);
    if (delta > 0) this.announce(name);
  }

  async delete(name: string): Promise<boolean> {
    this.read(name);
    const deleted = [name, permitDeadlines(name)].map((key) => this.store.delete(key));
    return deleted.includes(true);
  }

  private keep(name: string, id: PermitId, lease: number): boolean {
    const out = new Map(this.deadlines.find(permitDeadlines(name)));
    if ((out.get(id) ?? 0) <= this.store.now()) return false;
    this.write(name, out.set(id, this.store.now() + lease));
    return true;
  }

  private read(name: string): Pool {
    return { available: this.counts.get(name), out: new Map(this.deadlines.get(permitDeadlines(name))) };
  }

  /** The pool, after permits whose lease is over have returned to it, in the same order as in Redis. */
  private sweep(name: string, limit = Number.POSITIVE_INFINITY): Pool {
    const { available, out } = this.read(name);
    const over = [...out].filter(([, deadline]) => deadline <= this.store.now());
    const swept = over
      .toSorted(([id, end], [other, otherEnd]) => end - otherEnd || (id < other ? -1 : 1))
      .slice(0, limit);
    if (swept.length === 0) return { available, out };
    for (const [id] of swept) out.delete(id);
    this.write(name, out);
    const now = (available ?? 0) + swept.length;
    this.counts.set(name, now);
    if (now > 0) this.announce(name);
    return { available: now, out };
  }

  private write(name: string, out: PermitDeadlines): void {
    if (out.size > 0) this.deadlines.set(permitDeadlines(name), out);
    else this.store.delete(permitDeadlines(name));
  }

  private announce(name: string): void {
    this.store.publish(semaphoreChannel(name));
  }
}
