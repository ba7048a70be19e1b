/** The owner id under which a client asks for the lock, waits for it or holds it: `clientOf` says whose it is. */
export type Owner = number;

export const NO_OWNER: Owner = 0;
/** A Java client that holds the lock. */
export const JAVA: Owner = -1;

/** The bits of an owner id below those of its client. */
const ID_BITS = 5;

export const clientOf = (owner: Owner): number => owner >> ID_BITS;

/** The short lease of a grant to a client that may be dead by now. */
export const FIRST_LEASE = 1;
/** The lease that a caller wants. */
export const WHOLE_LEASE = 2;
/** A lease that a caller has extended. */
export const EXTENDED_LEASE = 3;

/** The lease of a hold that a client may be given. */
export type GivenLease = typeof FIRST_LEASE | typeof WHOLE_LEASE;
/** How long a lease is; 0: there is none. */
export type Lease = 0 | GivenLease | typeof EXTENDED_LEASE;

/** A command on its way to the server, or executed and not answered yet. */
export type Request =
  | { readonly kind: 'wait'; readonly owner: Owner; readonly isNew: boolean }
  | {
      readonly kind: 'release';
      readonly owner: Owner;
      readonly requeue: Owner;
      /** 3: the release is repeated in the background, without the requeue. */
      readonly attempt: 1 | 2 | 3;
    }
  | { readonly kind: 'hold'; readonly owner: Owner; readonly lease: typeof WHOLE_LEASE | typeof EXTENDED_LEASE };

export type Outcome = 'acquired' | 'busy' | 'gone' | 'passed on' | 'kept' | 'released' | 'not held' | 'held' | 'lost';

export interface Reply {
  readonly request: Request;
  readonly outcome: Outcome;
  /** Whether the lease that it speaks of is over. The client knows: it counts from when it sent the request. */
  readonly isOver: boolean;
}

/** Tells a client that it was granted the lock. */
export interface Message {
  readonly owner: Owner;
  readonly lease: GivenLease;
  /** Whether its lease is over. The client knows: the message contains the server's time. */
  readonly isOver: boolean;
}

/**
 * idle → asking (a `wait` is on its way) ⇄ waiting → holding → idle, or → releasing (with a requeue) → waiting. A client
 * with a first lease is `setting` the whole one before it is `holding`.
 */
export type Phase = 'idle' | 'asking' | 'waiting' | 'setting' | 'holding' | 'releasing';

export interface Client {
  /** A crashed client counts as a receiver of messages until the server notices: then it is `gone`. */
  readonly status: 'up' | 'crashed' | 'gone';
  /** Acquisitions that its callers have not asked for yet. */
  readonly todo: number;
  /** Callers that wait. */
  readonly waiting: number;
  readonly phase: Phase;
  readonly owner: Owner;
  /** The lease that the client believes in; 0: it does not believe that it holds the lock. */
  readonly belief: Lease;
  /** Requests on the present connection, in order. */
  readonly requests: readonly Request[];
  /** Requests that were not answered in time: they may be executed at any time, or are lost. */
  readonly strays: readonly Request[];
  readonly replies: readonly Reply[];
  readonly messages: readonly Message[];
  /** Owner ids to be released without a requeue, in the background: repeated until the server has executed it. */
  readonly releases: readonly Owner[];
  /** Owner ids to be withdrawn in the background: repeated until no request can add an entry for them any more. */
  readonly withdrawals: readonly Owner[];
}

/** The faults that a run may still have, of each kind, and of all together. */
export interface FaultsLeft {
  readonly all: number;
  readonly crash: number;
  readonly noReply: number;
  readonly lostMessage: number;
  /** A message that `PUBLISH` counts no receiver for although the client is up. */
  readonly unheard: number;
  readonly cancel: number;
  /** A lease that ends although its client is up. */
  readonly leaseEnd: number;
}

export type Fault = Exclude<keyof FaultsLeft, 'all'>;

export interface JavaClient {
  readonly phase: 'away' | 'listening' | 'holding';
  readonly todo: number;
}

export interface State {
  readonly owner: Owner;
  readonly lease: Lease;
  /** The waiting entries, in order of arrival. */
  readonly entries: readonly Owner[];
  readonly clients: readonly Client[];
  readonly java: JavaClient;
  /** Extensions that callers may still ask for. */
  readonly extensions: number;
  readonly faults: FaultsLeft;
}

export const clientAt = (state: State, index: number): Client => {
  const client = state.clients[index];
  if (!client) throw new RangeError(`There is no client ${index}`);
  return client;
};

export const withClient = (state: State, index: number, change: Partial<Client>): State => ({
  ...state,
  clients: state.clients.with(index, { ...clientAt(state, index), ...change }),
});

/** Takes a fault from those left; `undefined`: no more of this kind. */
export const withFault = (state: State, fault: Fault): State | undefined => {
  const { faults } = state;
  if (faults.all === 0 || faults[fault] === 0) return undefined;
  return { ...state, faults: { ...faults, all: faults.all - 1, [fault]: faults[fault] - 1 } };
};

/** The owner ids that a client refers to, in an order that does not depend on their numbers. */
export const ownersOf = ({
  owner,
  releases,
  withdrawals,
  requests,
  strays,
  replies,
  messages,
}: Client): readonly Owner[] => [
  owner,
  ...releases,
  ...withdrawals,
  ...[...requests, ...strays, ...replies.map(({ request }) => request)].flatMap((request) =>
    request.kind === 'release' ? [request.owner, request.requeue] : [request.owner],
  ),
  ...messages.map((message) => message.owner),
];

/** An owner id that is in use nowhere. */
export const newOwner = (state: State, client: number): Owner => {
  const used = [state.owner, ...state.entries, ...ownersOf(clientAt(state, client))];
  let owner = (client << ID_BITS) + 1;
  while (used.includes(owner)) owner += 1;
  return owner;
};
