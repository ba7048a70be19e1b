import { partsOfGroupLock } from '../../keys/group-field.js';
import type { OwnerId } from '../../context/owner-ids.js';
import type {
  AcquireOutcome,
  AcquireRequest,
  ForceReleaseRequest,
  HoldOutcome,
  HoldRequest,
  LeaveBehindRequest,
  LockState,
  LockOperations,
  ReleaseOutcome,
  ReleaseRequest,
  Renewal,
  RenewOutcome,
} from '../lock-operations.js';
import { leftBehind } from './left-behind.js';
import { type MemoryStore, MemoryTable } from './memory-store.js';
import { lockChannel } from '../../keys/redisson-keys.js';

/** One field of a group: its owner, hold count, and expiry on the store's clock, ms. */
export interface HeldField {
  readonly owner: OwnerId;
  readonly count: number;
  readonly expiry: number;
}

export type HeldFields = ReadonlyMap<string, HeldField>;

/** The fields of each group. */
export const groupTable = (store: MemoryStore): MemoryTable<HeldFields> =>
  new MemoryTable(store, 'hash of a group lock');

/** Several fields of a group as one lock, in memory: the executable specification of `scripts/group-lock/*.lua`. */
export class MemoryGroupLock implements LockOperations {
  private readonly groups: MemoryTable<HeldFields>;

  constructor(private readonly store: MemoryStore) {
    this.groups = groupTable(store);
  }

  async acquire({ name, owner, lease }: AcquireRequest): Promise<AcquireOutcome> {
    const { group, fields } = partsOfGroupLock(name);
    const held = this.alive(this.groups.get(group), fields);
    const [latest] = held
      .filter((field) => field.owner !== owner && field.expiry > this.store.now())
      .sort((a, b) => b.expiry - a.expiry);
    if (latest) {
      return { outcome: 'busy', remaining: Math.ceil(latest.expiry - this.store.now()), holder: latest.owner };
    }
    this.keep(group, fields, lease, () => ({ owner, count: 1 }));
    return { outcome: 'acquired', sent: this.store.stopwatch() };
  }

  async hold({ name, owner, count, lease, isLeft = false }: HoldRequest): Promise<HoldOutcome> {
    const { group, fields } = partsOfGroupLock(name);
    const held = this.heldBy(owner, group, fields);
    if (!held) return { outcome: 'lost' };
    this.keep(group, fields, lease, () => ({ owner, count }), isLeft);
    const end = this.store.now() + lease;
    // Peers announce a partial release of a group as well.
    if (held.some((field) => field.count > count || (isLeft && field.expiry > end)))
      this.store.publish(lockChannel(group));
    return { outcome: 'held', sent: this.store.stopwatch() };
  }

  async release({ name, owner }: ReleaseRequest): Promise<ReleaseOutcome> {
    const { group, fields } = partsOfGroupLock(name);
    const held = this.heldBy(owner, group, fields);
    this.drop(group, fields, (field) => field.owner === owner);
    return { outcome: held ? 'released' : 'not-held' };
  }

  leaveBehind(request: LeaveBehindRequest): Promise<boolean> {
    return leftBehind(this, request);
  }

  async renew(renewals: readonly Renewal[]): Promise<RenewOutcome> {
    const held = renewals.map(({ name, owner, lease }) => {
      const { group, fields } = partsOfGroupLock(name);
      if (!this.heldBy(owner, group, fields)) return false;
      this.keep(group, fields, lease, (before) => ({ owner, count: before?.count ?? 1 }));
      return true;
    });
    return { sent: this.store.stopwatch(), held };
  }

  async forceRelease({ name }: ForceReleaseRequest): Promise<boolean> {
    const { group, fields } = partsOfGroupLock(name);
    this.groups.get(group);
    return this.drop(group, fields, () => true);
  }

  async inspect(name: string, owner: OwnerId | undefined): Promise<LockState> {
    const { group, fields } = partsOfGroupLock(name);
    const held = this.alive(this.groups.get(group), fields);
    const remaining = Math.max(-2, ...held.map(({ expiry }) => Math.ceil(expiry - this.store.now())));
    const [first] = (owner !== undefined && this.heldBy(owner, group, fields)) || [];
    return { locked: held.length > 0, count: first?.count ?? 0, remaining };
  }

  /** The given fields that are held, in their order. */
  private alive(held: HeldFields | undefined, fields: readonly string[]): readonly HeldField[] {
    const now = this.store.now();
    return fields.flatMap((name) => held?.get(name) ?? []).filter(({ expiry }) => expiry >= now);
  }

  /** The fields, if the owner holds all of them; else `undefined`. */
  private heldBy(owner: OwnerId, group: string, fields: readonly string[]): readonly HeldField[] | undefined {
    const held = this.alive(this.groups.find(group), fields).filter((field) => field.owner === owner);
    return held.length === fields.length ? held : undefined;
  }

  /** Lets the fields last at least `lease` ms; a longer expiry stays, unless the owner has left them. The group lasts as long as its longest hold. */
  private keep(
    group: string,
    fields: readonly string[],
    lease: number,
    hold: (before: HeldField | undefined) => Omit<HeldField, 'expiry'>,
    isLeft = false,
  ): void {
    const held = new Map(this.groups.find(group));
    for (const name of fields) {
      const before = held.get(name);
      const next = hold(before);
      const kept = before?.owner === next.owner && !isLeft ? before.expiry : 0;
      held.set(name, { ...next, expiry: Math.max(kept, this.store.now() + lease) });
    }
    const left = this.store.remaining(group);
    this.groups.set(group, held, left === -1 ? Number.POSITIVE_INFINITY : Math.max(left, lease));
  }

  /** Frees the given fields that are `wanted`; returns whether there were any. */
  private drop(group: string, fields: readonly string[], wanted: (field: HeldField) => boolean): boolean {
    const held = new Map(this.groups.find(group));
    const dropped = fields.filter((name) => {
      const field = held.get(name);
      return field !== undefined && wanted(field) && held.delete(name);
    });
    if (dropped.length === 0) return false;
    if (held.size > 0) this.groups.set(group, held);
    else this.store.delete(group);
    this.store.publish(lockChannel(group));
    return true;
  }
}
