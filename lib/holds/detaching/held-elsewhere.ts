import type { LockBackend } from '../../backend/lock-backend.js';
import { parseOwner } from '../../context/chosen-owner.js';
import type { OwnerId } from '../../context/owner-ids.js';
import { fullName } from '../../keys/redisson-keys.js';
import { type Duration, parseLease } from '../../time/duration.js';
import { namesOf, parseOptions } from '../../validation/options.js';
import { type AcquireDefaults, checkLease } from '../../waiting/acquire.options.js';
import type { GrantServices } from '../grant.js';
import type { LockKind } from '../lock-kind.js';
import { type DetachableKind, ownerOfSecret, parseToken } from './hold-token.js';

/** A lock that `acquire(name, { owner, lease })` has acquired for this owner, in any process. */
export interface OwnedLock {
  readonly name: string;
  readonly owner: string;
}

/** A {@link HoldToken} or an {@link OwnedLock}, parsed and validated: a lock that is held, but by no code. */
interface ParsedHeld {
  /** The name of the connection; `undefined`: the one that is asked. */
  readonly connection: string | undefined;
  readonly kind: DetachableKind;
  /** The full name. */
  readonly name: string;
  readonly owner: OwnerId;
}

const OWNED_LOCK = namesOf<OwnedLock>()('name', 'owner');

/**
 * @param defaults Of the connection that is asked.
 * @throws LockOptionsError, LockNameError
 */
export const parseHeld = (given: unknown, defaults: AcquireDefaults): ParsedHeld => {
  if (typeof given !== 'object' || given === null) {
    const { connection, kind, name, secret } = parseToken(given);
    return { connection, kind, name, owner: ownerOfSecret(secret) };
  }
  const { name, owner } = parseOptions(given, OWNED_LOCK, { of: 'a lock of an owner' });
  // A fenced lock has the same data.
  return { connection: undefined, kind: 'plain', name: fullName(name, defaults), owner: parseOwner(owner) };
};

interface HeldServices extends Pick<GrantServices, 'defaults' | 'watchdog' | 'endsByOthers'> {
  readonly kinds: Readonly<Record<DetachableKind, LockKind>>;
  readonly backend: { readonly takeOver: LockBackend['takeOver'] };
}

/**
 * Lets a lock last at least `lease` from now. Resolves with whether it is still held.
 * @throws LockOptionsError, LockUnavailableError
 */
export const extendHeld = async (
  { defaults, backend }: HeldServices,
  { kind, name, owner }: ParsedHeld,
  lease: Duration,
): Promise<boolean> => {
  const ms = parseLease(lease, 'lease');
  checkLease(ms, defaults);
  const { outcome } = await backend.takeOver.detach({ kind, name, from: owner, to: owner, lease: ms });
  return outcome === 'held';
};

/**
 * Releases a lock. Resolves with whether it was still held.
 * @throws LockUnavailableError
 */
export const releaseHeld = async (
  { kinds, watchdog, endsByOthers }: HeldServices,
  { kind, name, owner }: ParsedHeld,
): Promise<boolean> => {
  const { operations, silent } = kinds[kind];
  const { outcome } = await operations.release({ name, owner, lease: watchdog.timeout, silent });
  if (outcome === 'not-held') return false;
  await endsByOthers.tell({ name });
  return true;
};
