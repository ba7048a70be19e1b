import { beginHold, endHold } from '../events/hold-tracing.js';
import type { HowReleased, OfLock } from '../events/life-cycle-events.js';
import { shownOwner } from '../context/chosen-owner.js';
import type { OwnerId } from '../context/owner-ids.js';
import type { LockEvents } from '../events/lock-events.js';
import type { LockKind } from './lock-kind.js';
import type { LockLostError } from '../errors.js';
import type { lossTexts } from './loss.js';

/** The code that acquired a lock. */
export interface GrantOrigin {
  /** The key template that produced the name, if any. */
  readonly template: string | undefined;
  /** The method or interceptor that is locked, if any: `@Locked Orders.pay`. */
  readonly method: string | undefined;
  /** Why the lock is held. Absent: the caller gave no note. */
  readonly note?: string;
}

/** A hold of a lock, as its events know it. */
export interface ToldHold {
  readonly runtime: { readonly connection: string; readonly events: LockEvents };
  readonly kind: LockKind;
  readonly name: string;
  readonly origin?: GrantOrigin | undefined;
  readonly owner: OwnerId;
  readonly heldFor: number;
  /** Why it was lost; `undefined`: it was not. */
  readonly loss: string | undefined;
}

/** The fields of an event that say which hold it is about. */
export interface GrantEventFields extends OfLock {
  readonly owner: OwnerId;
  /** Milliseconds since the grant. */
  readonly heldFor: number;
}

/** The fields of an event that say which lock it is about, and what acquires it. */
export const lockFields = (
  { connection }: { readonly connection: string },
  { name: kind }: LockKind,
  lockName: string,
  origin: GrantOrigin | undefined,
): OfLock => ({ connection, kind, lockName, template: origin?.template, method: origin?.method });

export const eventFieldsOf = ({ runtime, kind, name, origin, owner, heldFor }: ToldHold): GrantEventFields => ({
  connection: runtime.connection,
  kind: kind.name,
  lockName: name,
  template: origin?.template,
  method: origin?.method,
  owner: shownOwner(owner),
  heldFor,
});

/** Tells of a grant that no acquisition led to: it was attached or converted. */
export const tellBegin = (grant: ToldHold): void => {
  const { events } = grant.runtime;
  const { heldFor: _, ...fields } = eventFieldsOf(grant);
  if (events.hears('acquired')) events.emit({ type: 'acquired', ...fields, waited: 0, isContended: false });
  beginHold(grant, fields);
};

export const tellRenewal = (grant: ToldHold, lease: number): void => {
  const { events } = grant.runtime;
  if (events.hears('renewed')) events.emit({ type: 'renewed', ...eventFieldsOf(grant), lease });
};

/** Tells of a hold that has lasted for long, or for as long as is allowed. */
export const tellAge = (grant: ToldHold, type: 'long-hold' | 'max-hold-reached', maxHold: number): void => {
  const { events } = grant.runtime;
  if (type === 'long-hold') events.emit({ type, ...eventFieldsOf(grant) });
  else events.emit({ type, ...eventFieldsOf(grant), maxHold });
};

/** Tells of a hold that nobody can release. */
export const tellForgotten = (grant: ToldHold, acquiredAt: string | undefined): void =>
  grant.runtime.events.emit({ type: 'forgotten', ...eventFieldsOf(grant), acquiredAt });

/** How a grant has ended if its loss is as the application wants it: nothing has to be looked into. */
const howMeant = ({ kind, loss }: ToldHold, error: LockLostError): HowReleased | undefined => {
  if (error.isReplaced) return 'replaced';
  // A lock of an owner that the application has chosen ends by its lease if nobody extends it.
  return kind.owner !== undefined && loss === 'lease-over' ? 'abandoned' : undefined;
};

/** Tells of a hold that ended before its owner released it. */
export const tellLoss = (grant: ToldHold, texts: ReturnType<typeof lossTexts>, error: LockLostError): void => {
  const { events } = grant.runtime;
  const how = howMeant(grant, error);
  if (!how) events.emit({ type: 'lost', ...eventFieldsOf(grant), ...texts });
  else if (events.hears('released')) events.emit({ type: 'released', ...eventFieldsOf(grant), how });
  endHold(grant, how ? undefined : error);
};

/** Tells how a hold ended, unless it was lost before. On the hot path, see docs/architecture.md#hot-path. */
export const tellRelease = (grant: ToldHold, how: HowReleased): void => {
  const { events } = grant.runtime;
  if (grant.loss) return;
  if (events.hears('released')) {
    const { connection, kind, lockName, template, method, owner, heldFor } = eventFieldsOf(grant);
    // Not spread: a spread costs more than all else that is done for a listener.
    events.emit({ type: 'released', connection, kind, lockName, template, method, owner, heldFor, how });
  }
  endHold(grant);
};

/** Tells that the lock was given to a waiter when it was released, unless it was lost before. */
export const tellHandOver = (grant: ToldHold, via: 'process' | 'server'): void => {
  const { events } = grant.runtime;
  if (grant.loss) return;
  if (events.hears('handed-over')) {
    const { connection, kind, lockName, template, method, owner, heldFor } = eventFieldsOf(grant);
    events.emit({ type: 'handed-over', connection, kind, lockName, template, method, owner, heldFor, via });
  }
  endHold(grant);
};
