import type { LockBackend } from '../backend/lock-backend.js';
import { shownOwner } from '../context/chosen-owner.js';
import { clientIdOf, type OwnerIds } from '../context/owner-ids.js';
import {
  MOST_LISTED,
  NO_QUEUE,
  type StoredHolder,
  type StoredQueue,
  type StoredState,
} from '../backend/kinds/inspection/inspection-operations.js';
import { type HolderRecord, readRecord } from './holder-record.js';
import type { InspectedHolder, InspectedKind, InspectedLock, InspectedWaiting } from './inspected-lock.js';

/** The parts of a connection that an inspection needs. */
export interface InspectionServices {
  readonly backend: { readonly inspection: LockBackend['inspection'] };
  readonly owners: OwnerIds;
}

/** Tells of an owner or permit whether this process has it, and of a queue where this process is in it. */
export interface OwnIds {
  has(owner: string): boolean;
}

/** The owners of one connection of this process. */
export const ownersOf = ({ clientId }: OwnerIds): OwnIds => ({ has: (owner) => clientIdOf(owner) === clientId });

const holderOf = ({ record, ...holder }: StoredHolder, own: OwnIds): InspectedHolder => {
  const known: HolderRecord | undefined = record === undefined ? undefined : readRecord(record);
  const owner = shownOwner(holder.owner);
  return { ...holder, owner, ...(known && { record: known }), isThisProcess: own.has(holder.owner) };
};

/** Writers wait only for a lock that is none of another kind. */
const writersOf = ({ shape, writers }: StoredState): StoredQueue =>
  shape === 'none' || shape === 'read' || shape === 'write' ? writers : NO_QUEUE;

/** Those that have a place if there are any, else those that listen. */
const waitingIn = (stored: StoredState, own: OwnIds): InspectedWaiting => {
  const { listeners, queue, clients } = stored;
  const writers = writersOf(stored);
  if (writers.count > 0) {
    const named = writers.owners.slice(0, MOST_LISTED).map((owner) => ({ owner }));
    return { count: Math.max(listeners, writers.count), writers: named };
  }
  const ordered: StoredQueue = queue.count > 0 ? queue : clients;
  // Those that listen include those with a place, unless they are waiters of one process.
  const count = queue.count > 0 ? queue.count : Math.max(listeners, clients.count);
  if (ordered.count === 0) return { count };
  const position = ordered.owners.findIndex((owner) => own.has(owner)) + 1;
  const order = ordered.owners.slice(0, MOST_LISTED).map((owner) => ({ owner }));
  return { count, order, ...(position > 0 && { position }) };
};

/** The stored state, as it is told to callers. */
export const inspectedState = (name: string, kind: InspectedKind, stored: StoredState, own: OwnIds): InspectedLock => {
  const { shape, holderCount, queue, fence, problem } = stored;
  const state =
    shape === 'foreign' ? 'foreign' : holderCount > 0 ? 'held' : queue.count > 0 ? ('reserved' as const) : 'free';
  return {
    name,
    kind,
    state,
    holders: stored.holders.map((holder) => holderOf(holder, own)),
    holderCount,
    waiting: waitingIn(stored, own),
    ...(fence !== undefined && { fence }),
    ...(problem !== undefined && { problem }),
  };
};
