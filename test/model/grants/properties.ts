import type { Invariant, Progress, Termination } from '../model-checker.js';
import { type Client, clientAt, clientOf, JAVA, NO_OWNER, type State, WHOLE_LEASE } from './state.js';

const isWithdrawn = ({ releases, withdrawals, requests }: Client, owner: number): boolean =>
  releases.includes(owner) ||
  withdrawals.includes(owner) ||
  requests.some((request) => request.kind === 'release' && request.owner === owner);

const isHeldByLiveClient = ({ owner, clients }: State): boolean =>
  owner !== NO_OWNER && owner !== JAVA && clients[clientOf(owner)]?.status === 'up';

/** Whether a client has nothing to do, and nothing of it is on its way. */
const isAtRest = ({ status, phase, requests, strays, replies, messages, releases, withdrawals }: Client): boolean =>
  status !== 'crashed' &&
  phase === 'idle' &&
  [requests, strays, replies, messages, releases, withdrawals].every(({ length }) => length === 0);

/** Whether all callers who asked were served, and no work is left. */
const isServed = ({ clients, java }: State): boolean => java.phase === 'away' && clients.every(isAtRest);

const believers = ({ clients }: State): readonly Client[] => clients.filter(({ belief }) => belief > 0);

export const invariants = {
  oneHolder: {
    name: 'at most one client believes that it holds the lock',
    holds: (state) => believers(state).length + (state.owner === JAVA ? 1 : 0) <= 1,
  },
  trueBelief: {
    name: 'a client that believes that it holds the lock does',
    holds: (state) => believers(state).every(({ owner }) => owner === state.owner),
  },
  wholeLease: {
    name: 'a client that believes that it holds the lock has the lease that its caller wants',
    holds: (state) =>
      believers(state).every(
        ({ owner, belief }) => owner !== state.owner || Math.min(belief, state.lease) >= WHOLE_LEASE,
      ),
  },
  noLostGrant: {
    name: 'a live owner of the lock knows, finds out at its next poll, or is being withdrawn',
    holds: (state) => {
      if (!isHeldByLiveClient(state)) return true;
      const client = clientAt(state, clientOf(state.owner));
      return client.owner === state.owner || isWithdrawn(client, state.owner);
    },
  },
  nothingLeft: {
    name: 'when all callers were served, live clients have no hold and no entry left',
    holds: (state) =>
      !isServed(state) ||
      (!isHeldByLiveClient(state) && state.entries.every((entry) => state.clients[clientOf(entry)]?.status !== 'up')),
  },
} satisfies Record<string, Invariant<State>>;

export const progress = {
  noStuckWaiter: {
    name: 'all callers who asked can still be served',
    applies: () => true,
    isGood: isServed,
    allowed: ['own', 'poll', 'lease end'],
  },
  noLeaseAwaited: {
    name: 'the end of a lease is awaited only where its client crashed, or crashed before the grant and looked alive',
    applies: ({ owner, clients }) =>
      clients.every(({ status }) => status !== 'crashed') &&
      (owner <= NO_OWNER || clients[clientOf(owner)]?.status === 'up'),
    isGood: isServed,
    allowed: ['own', 'poll'],
  },
  noPollNeeded: {
    name: 'all callers who asked can be served without a poll',
    applies: () => true,
    isGood: isServed,
    allowed: ['own'],
  },
} satisfies Record<string, Progress<State>>;

export const termination: Termination = {
  name: 'without new callers, polls and faults, all moves come to an end',
  causes: ['own', 'lease end'],
};
