import type { StoredHolder, StoredState } from '../backend/kinds/inspection/inspection-operations.js';
import type { InspectedHolder, InspectedLock, InspectedNode } from './inspected-lock.js';
import { inspectedState, type InspectionServices, ownersOf, type OwnIds } from './inspected-state.js';
import type { LockKindName } from '../events/life-cycle-events.js';
import { partsOfGroupLock } from '../keys/group-field.js';
import type { NodeState } from '../backend/quorum/quorum-lock.js';
import { majorityOf } from '../backend/quorum/majority.js';
import type { OwnerIds } from '../context/owner-ids.js';

type Inspecting = Pick<InspectionServices, 'backend'>;

const NONE: OwnIds = { has: () => false };

/** Inspects a semaphore whose permits have no owner. */
export const inspectSemaphore = async ({ backend }: Inspecting, name: string): Promise<InspectedLock> => {
  const stored = await backend.inspection.semaphore(name);
  const inspected = inspectedState(name, 'semaphore', stored, NONE);
  const { number: available } = stored;
  if (available === undefined) return inspected;
  return { ...inspected, state: available > 0 ? 'free' : 'held', permits: { available } };
};

/** A semaphore whose permits have ids. @param own The permits of this process. */
export const inspectedPermits = (name: string, stored: StoredState, own: OwnIds): InspectedLock => {
  const inspected = inspectedState(name, 'permitExpirableSemaphore', stored, own);
  const { number: available, holderCount: inUse } = stored;
  if (available === undefined) return inspected;
  return { ...inspected, permits: { available, inUse, total: available + inUse } };
};

/** Inspects a semaphore whose permits have ids. */
export const inspectPermits = async (
  { backend, permitsOut }: Inspecting & { readonly permitsOut: OwnIds },
  name: string,
): Promise<InspectedLock> => inspectedPermits(name, await backend.inspection.permits(name), permitsOut);

/** Inspects a count-down latch. */
export const inspectLatch = async ({ backend }: Inspecting, name: string): Promise<InspectedLock> => {
  const stored = await backend.inspection.latch(name);
  const inspected = inspectedState(name, 'countDownLatch', stored, NONE);
  if (stored.shape === 'foreign') return inspected;
  const { number: count = 0 } = stored;
  return { ...inspected, state: count > 0 ? 'held' : 'free', count };
};

/** How what is stored under a name is called if it is of another kind than the lock that asks. */
const NAMES = {
  exclusive: 'an exclusive lock',
  read: 'a read-write lock',
  write: 'a read-write lock',
  group: 'a group lock',
} as const;

const FAMILIES: Readonly<Record<string, keyof typeof NAMES>> = { read: 'read', write: 'read', group: 'group' };

/** The state of a name, as a lock of one kind sees it: what another kind has stored there is a problem. */
const asOfKind = (stored: StoredState, kind: LockKindName): StoredState => {
  const { shape } = stored;
  if (!(shape === 'exclusive' || shape === 'read' || shape === 'write' || shape === 'group')) return stored;
  if ((FAMILIES[shape] ?? 'exclusive') === (FAMILIES[kind] ?? 'exclusive')) return stored;
  const problem = `the name belongs to ${NAMES[shape]}`;
  return { ...stored, shape: 'foreign', problem: stored.problem ? `${problem}; ${stored.problem}` : problem };
};

/** The holders of any of the fields, with those of their fields that are among them. */
const holdersOfFields = (holders: readonly StoredHolder[], fields: readonly string[]): readonly StoredHolder[] =>
  holders.flatMap((holder) => {
    const held = holder.fields?.filter((field) => fields.includes(field)) ?? [];
    return held.length > 0 ? [{ ...holder, fields: held }] : [];
  });

const inspectGroup = async ({ backend, owners }: InspectionServices, name: string): Promise<InspectedLock> => {
  const { group, fields } = partsOfGroupLock(name);
  const stored = asOfKind(await backend.inspection.lock(group), 'group');
  const holders = stored.shape === 'group' ? holdersOfFields(stored.holders, fields) : stored.holders;
  return inspectedState(name, 'group', { ...stored, holders, holderCount: holders.length }, ownersOf(owners));
};

/** A limit, with how many of its permits are in use. */
export const inspectedLimit = (name: string, stored: StoredState, own: OwnIds): InspectedLock => {
  const inspected = inspectedState(name, 'limit', stored, own);
  const { holderCount: inUse, number: total } = stored;
  return total === undefined ? inspected : { ...inspected, permits: { available: total - inUse, inUse, total } };
};

/** Inspects a lock on the server of its connection. */
export const inspectLock = async (
  services: InspectionServices,
  kind: LockKindName,
  name: string,
): Promise<InspectedLock> => {
  if (kind === 'group') return inspectGroup(services, name);
  const own = ownersOf(services.owners);
  if (kind === 'limit') return inspectedLimit(name, await services.backend.inspection.limit(name), own);
  const stored = asOfKind(await services.backend.inspection.lock(name), kind);
  return inspectedState(name, kind, stored, own);
};

/** The holders on any node, each with its shortest lease among a majority of the nodes. */
const majorityHolders = (locks: readonly InspectedLock[], needed: number): readonly InspectedHolder[] => {
  const byOwner = new Map<string, InspectedHolder[]>();
  for (const holder of locks.flatMap(({ holders }) => holders)) {
    byOwner.set(holder.owner, [...(byOwner.get(holder.owner) ?? []), holder]);
  }
  return [...byOwner.values()].flatMap((same) => {
    const longestFirst = same.toSorted((a, b) => b.remaining - a.remaining);
    const decisive = longestFirst[needed - 1];
    return decisive ? [{ ...decisive, count: Math.max(...same.map(({ count }) => count)) }] : [];
  });
};

/** Whether the servers that did not answer could make a majority with those that did. */
const isOpen = (locks: readonly InspectedLock[], silent: number, needed: number): boolean => {
  const counted = locks.flatMap((lock) => lock.holders.map(({ owner }) => owner));
  const most = Math.max(0, ...counted.map((owner) => counted.filter((other) => other === owner).length));
  return most < needed && most + silent >= needed;
};

/** A lock on independent servers: what a majority of them holds, and the state of each. */
export const inspectedQuorum = (name: string, states: readonly NodeState[], owners: OwnerIds): InspectedLock => {
  const own = ownersOf(owners);
  const nodes = states.map(({ node, stored, error }): InspectedNode => {
    if (stored === undefined) return { node, error };
    return { node, lock: inspectedState(name, 'redLock', asOfKind(stored, 'redLock'), own) };
  });
  const locks = nodes.flatMap(({ lock }) => lock ?? []);
  const needed = majorityOf(nodes.length);
  const silent = nodes.length - locks.length;
  const holders = majorityHolders(locks, needed);
  const isUnknown = isOpen(locks, silent, needed);
  const problems = nodes.flatMap(({ node, lock }) => (lock?.problem === undefined ? [] : [`${node}: ${lock.problem}`]));
  if (isUnknown) problems.push(`${silent} of ${nodes.length} servers did not answer, and they decide`);
  return {
    name,
    kind: 'redLock',
    state: isUnknown ? 'unknown' : holders.length > 0 ? 'held' : 'free',
    holders,
    holderCount: holders.length,
    waiting: { count: Math.max(0, ...locks.map(({ waiting }) => waiting.count)) },
    nodes,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
};

/**
 * Several locks as one, of which `needed` must be held.
 * @param members Each was inspected by itself, at about the same time.
 */
export const inspectedTogether = (
  name: string,
  members: readonly InspectedLock[],
  needed = members.length,
): InspectedLock => {
  const held = members.filter(({ state }) => state === 'held').length;
  const problems = members.flatMap(({ name: member, problem }) =>
    problem === undefined ? [] : [`${member}: ${problem}`],
  );
  return {
    name,
    kind: 'multi',
    state: held >= needed ? 'held' : 'free',
    holders: members.flatMap(({ holders }) => holders),
    holderCount: members.reduce((sum, { holderCount }) => sum + holderCount, 0),
    waiting: { count: Math.max(0, ...members.map(({ waiting }) => waiting.count)) },
    members,
    ...(problems.length > 0 && { problem: problems.join('; ') }),
  };
};
