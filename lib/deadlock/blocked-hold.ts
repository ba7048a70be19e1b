import type { OwnerId } from '../context/owner-ids.js';
import { LOCK_FAMILIES, type LockFamily } from '../holds/lock-kind.js';
import { partsOfGroupLock } from '../keys/group-field.js';

/** A lock that a waiting caller holds. */
export interface HeldLock {
  readonly family: LockFamily;
  /** The full name. */
  readonly name: string;
  readonly owner: OwnerId;
}

/** A lock that a caller waits for. */
export interface WantedLock {
  readonly family: LockFamily;
  readonly name: string;
  /** How many owners may hold it at once. */
  readonly limit: number;
}

/** A wait of a caller that holds locks. */
export interface BlockedWait {
  /** Unique among all processes. */
  readonly id: string;
  /** When the wait began, ms on the wall clock of its process. It only decides who gives up. */
  readonly since: number;
  /** The method or interceptor that waits, such as `@Locked Orders.pay`, if known. */
  readonly method: string | undefined;
  readonly wants: WantedLock;
}

/** A hold, and the wait of its code for another lock. */
export interface BlockedHold {
  readonly wait: BlockedWait;
  readonly held: HeldLock;
}

/** The text of a record: the same for the whole wait. */
export const textOf = ({ wait: { id, since, method, wants }, held }: BlockedHold): string =>
  JSON.stringify([
    id,
    since,
    method ?? null,
    wants.family,
    wants.name,
    wants.limit,
    held.family,
    held.name,
    held.owner,
  ]);

const isFamily = (value: unknown): value is LockFamily => LOCK_FAMILIES.some((family) => family === value);

const isText = (value: unknown): value is string => typeof value === 'string';

/** Reads a record; `undefined` if it is not one of this version. */
export const blockedHoldOf = (text: string): BlockedHold | undefined => {
  const fields = parsed(text);
  if (!Array.isArray(fields) || fields.length !== 9) return undefined;
  const [id, since, method, wantsFamily, wantsName, limit, heldFamily, heldName, owner]: unknown[] = fields;
  if (!isFamily(wantsFamily) || !isFamily(heldFamily)) return undefined;
  if (!isText(id) || !isText(wantsName) || !isText(heldName) || !isText(owner)) return undefined;
  if (typeof since !== 'number' || typeof limit !== 'number') return undefined;
  const wants = { family: wantsFamily, name: wantsName, limit };
  return {
    wait: { id, since, method: isText(method) ? method : undefined, wants },
    held: { family: heldFamily, name: heldName, owner },
  };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The key is shared with other versions.
    return undefined;
  }
};

/** The halves of a read-write lock exclude each other; other families have nothing in common. */
const excludedBy = (wanted: LockFamily, held: LockFamily): boolean => {
  if (wanted === 'write') return held === 'write' || held === 'read';
  return held === (wanted === 'read' ? 'write' : wanted);
};

const overlap = (one: string, other: string): boolean => {
  const [a, b] = [partsOfGroupLock(one), partsOfGroupLock(other)];
  return a.group === b.group && a.fields.some((field) => b.fields.includes(field));
};

/** Whether the lock that is wanted cannot be had while the other one is held. */
export const isExcluded = (wanted: WantedLock, held: HeldLock): boolean => {
  if (!excludedBy(wanted.family, held.family)) return false;
  return wanted.family === 'group' ? overlap(wanted.name, held.name) : wanted.name === held.name;
};
