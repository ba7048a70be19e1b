import { ClientBehaviour } from './grants/client-behaviour.js';
import { encode } from './grants/encoding.js';
import { OwnMoves } from './grants/moves.js';
import { OutsideMoves } from './grants/outside-moves.js';
import { invariants, progress, termination } from './grants/properties.js';
import type { Protection } from './grants/protections.js';
import { Server } from './grants/server.js';
import { stateText } from './grants/state-text.js';
import {
  type Client,
  type Fault,
  type FaultsLeft,
  FIRST_LEASE,
  type GivenLease,
  NO_OWNER,
  type State,
  WHOLE_LEASE,
} from './grants/state.js';
import type { Model } from './model-checker.js';

/** The bounds of a model. */
export interface Bounds {
  /** For each client, the acquisitions that its callers ask for. */
  readonly clients: readonly number[];
  /** The faults of a run: at most so many of each kind, and of all together. */
  readonly faults?: Partial<FaultsLeft>;
  /** Acquisitions of a Java client. */
  readonly java?: number;
  /** Whether a release may find other listeners than the entries, and then grants to no client. */
  readonly mayFree?: boolean;
  /** The leases for which a release may give the lock. Default: both. */
  readonly given?: readonly GivenLease[];
  /** Extensions that callers ask for. */
  readonly extensions?: number;
  readonly progress?: readonly (keyof typeof progress)[];
  readonly invariants?: readonly (keyof typeof invariants)[];
  /** The mutation: a rule that is left out. */
  readonly without?: Protection;
}

const NO_FAULTS: FaultsLeft = {
  all: 0,
  crash: 0,
  noReply: 0,
  lostMessage: 0,
  unheard: 0,
  cancel: 0,
  leaseEnd: 0,
};

const newClient = (todo: number): Client => ({
  status: 'up',
  todo,
  waiting: 0,
  phase: 'idle',
  owner: NO_OWNER,
  belief: 0,
  requests: [],
  strays: [],
  replies: [],
  messages: [],
  releases: [],
  withdrawals: [],
});

const startOf = ({ clients, faults = {}, java = 0, extensions = 0 }: Bounds): State => ({
  owner: NO_OWNER,
  lease: 0,
  entries: [],
  clients: clients.map(newClient),
  java: { phase: 'away', todo: java },
  extensions,
  faults: { ...NO_FAULTS, ...faults },
});

const FAULTS: readonly Fault[] = ['crash', 'noReply', 'lostMessage', 'unheard', 'cancel', 'leaseEnd'];

/** At most `all` faults, each of another one of these kinds. */
export const anyFaults = (all: number, kinds = FAULTS): Partial<FaultsLeft> => ({
  all,
  ...Object.fromEntries(kinds.map((kind) => [kind, 1])),
});

/**
 * The protocol by which a release grants the lock to the next client that waits, as a model that is explored
 * completely.
 *
 * The server executes each script as a whole (`grants/server.ts`); a client reacts to its callers, to replies and to
 * messages (`grants/client-behaviour.ts`). Commands of a connection are executed in order, and replies arrive in order;
 * messages have a connection of their own, and arrive before or after any reply. A client may poll at any time while
 * it waits, which includes each announcement of a release.
 *
 * A fault is a crash, a command without a reply in time, a lost message, a message that no receiver was counted for, a
 * cancelled caller, or a lease that ends early. A command without a reply may have been executed, be lost, or be
 * executed at any time after: later than commands that were sent after it. A crashed client counts as a receiver until
 * the server notices. A client counts its lease from before the server does: it stops believing in it first.
 *
 * A release gives the lock for a first lease or for the whole one: time, which decides that, is not modelled. With a first
 * lease, the client sets the whole one before its caller acts.
 *
 * Not modelled: time (a deadline or a lease may end at any moment that the faults left allow), the hand-over inside a
 * process (the hold of its client goes on), the deadline of an entry (such an entry is skipped like one whose client
 * did not hear), and a server that loses data.
 *
 * Clients are interchangeable, and so are owner ids: states that differ only in these count as one. `grants/properties`
 * says what is checked, and `grants/protections` which rules it depends on: without any of them, a check fails.
 * `MODEL_MORE_FAULTS=1 npx jest test/model` searches deeper, for minutes.
 */
export function grantProtocol(bounds: Bounds): Model<State> {
  const has = (protection: Protection): boolean => protection !== bounds.without;
  const behaviour = new ClientBehaviour(has);
  const own = new OwnMoves(
    new Server(has, bounds.mayFree ?? false, bounds.given ?? [WHOLE_LEASE, FIRST_LEASE]),
    behaviour,
    has,
  );
  const outside = new OutsideMoves(behaviour, own, has);
  return {
    start: startOf(bounds),
    encode,
    moves: (state) => [...own.of(state), ...outside.of(state)],
    invariants: (bounds.invariants ?? ['oneHolder', 'trueBelief', 'wholeLease', 'noLostGrant', 'nothingLeft']).map(
      (name) => invariants[name],
    ),
    progress: (bounds.progress ?? ['noStuckWaiter', 'noLeaseAwaited']).map((name) => progress[name]),
    terminations: [termination],
    describe: stateText,
  };
}
