import type { Protection } from './protections.js';
import {
  clientAt,
  clientOf,
  FIRST_LEASE,
  type GivenLease,
  NO_OWNER,
  type Outcome,
  type Owner,
  type Request,
  type State,
  WHOLE_LEASE,
  withClient,
  withFault,
} from './state.js';

/** A way in which the server may execute a command. */
export interface Execution {
  readonly state: State;
  readonly outcome: Outcome;
  /** What happens besides the outcome. */
  readonly detail: string;
}

type WaitRequest = Extract<Request, { kind: 'wait' }>;
type HoldRequest = Extract<Request, { kind: 'hold' }>;

const without = (entries: readonly Owner[], owner: Owner): readonly Owner[] =>
  entries.filter((entry) => entry !== owner);

/** The scripts. Each takes effect as a whole, in one of several ways. */
export class Server {
  /**
   * @param mayFree Whether a release may leave the lock free although clients wait, since others seem to listen.
   * @param given The leases for which a release may give the lock: the entry may be fresh, or old.
   */
  constructor(
    private readonly has: (protection: Protection) => boolean,
    private readonly mayFree: boolean,
    private readonly given: readonly GivenLease[],
  ) {}

  execute(state: State, request: Request): readonly Execution[] {
    if (request.kind === 'wait') return [this.wait(state, request)];
    if (request.kind === 'hold') return [this.hold(state, request)];
    return this.release(state, request.owner, request.attempt === 3 ? NO_OWNER : request.requeue);
  }

  /** Passes the lock of an owner on. */
  release(state: State, owner: Owner, requeue = NO_OWNER): readonly Execution[] {
    if (state.owner !== owner) return [{ state, outcome: 'not held', detail: '' }];
    return this.passOn(state, requeue, '');
  }

  /** Removes an entry, or releases the lock that was granted to it. */
  withdraw(state: State, owner: Owner): readonly Execution[] {
    const left = { ...state, entries: without(state.entries, owner) };
    if (!this.has('a withdrawal releases what was granted')) return [{ state: left, outcome: 'not held', detail: '' }];
    return this.release(left, owner);
  }

  private wait(state: State, { owner, isNew }: WaitRequest): Execution {
    const acquired = { ...state, owner, lease: WHOLE_LEASE, entries: without(state.entries, owner) } as const;
    const hasEntry = state.entries.includes(owner);
    const isAnswered = this.has('an owner that holds the lock gets the same answer again');
    if (state.owner === owner && isAnswered) {
      const keepsLonger = state.lease > WHOLE_LEASE && this.has('a wait never shortens a lease');
      return { state: keepsLonger ? state : acquired, outcome: 'acquired', detail: '' };
    }
    const mayAcquire = isNew || hasEntry || !this.has('a poll without an entry acquires nothing');
    if (state.owner === NO_OWNER && mayAcquire) return { state: acquired, outcome: 'acquired', detail: '' };
    if (isNew && !hasEntry) {
      return { state: { ...state, entries: [...state.entries, owner] }, outcome: 'busy', detail: ', adds an entry' };
    }
    const isTold = this.has('a poll without an entry is told so') && state.owner !== owner;
    return { state, outcome: hasEntry || !isTold ? 'busy' : 'gone', detail: '' };
  }

  private hold(state: State, { owner, lease }: HoldRequest): Execution {
    if (state.owner !== owner) return { state, outcome: 'lost', detail: '' };
    return { state: { ...state, lease }, outcome: 'held', detail: '' };
  }

  /** Gives the lock to the first entry, to the requeue, or to no client. */
  private passOn(state: State, requeue: Owner, detail: string): readonly Execution[] {
    const free = { ...state, owner: NO_OWNER, lease: 0 } as const;
    const [first, ...rest] = state.entries;
    const freed: Execution = { state: free, outcome: 'released', detail: `${detail}, frees the lock` };
    if (first === undefined && requeue === NO_OWNER) return [freed];
    const foreign = this.mayFree && detail === '' ? [freed] : [];
    if (first === undefined) {
      const kept = { ...state, owner: requeue, lease: WHOLE_LEASE } as const;
      return [...foreign, { state: kept, outcome: 'kept', detail }];
    }
    const others = { ...state, entries: rest };
    const { status } = clientAt(state, clientOf(first));
    const isHeard = status !== 'gone' || !this.has('the lock is not granted to a client that does not hear of it');
    const granted = isHeard ? this.given.map((lease) => this.grant(others, first, lease, requeue, detail)) : [];
    const skipped = status === 'gone' ? others : withFault(others, 'unheard');
    const skips = skipped && !(status === 'gone' && isHeard) ? this.skip(skipped, first, requeue, detail) : [];
    return [...foreign, ...granted, ...skips];
  }

  private grant(others: State, owner: Owner, lease: GivenLease, requeue: Owner, detail: string): Execution {
    const entries = requeue === NO_OWNER ? others.entries : [...others.entries, requeue];
    const granted = { ...others, owner, lease, entries } as const;
    const text = `${detail}, grants to client ${clientOf(owner)}${lease === FIRST_LEASE ? ' for a first lease' : ''}`;
    return { state: this.sendMessage(granted, owner, lease), outcome: 'passed on', detail: text };
  }

  /** `PUBLISH` counts the receivers at this server only: where it counts none, the message may arrive all the same. */
  private skip(others: State, owner: Owner, requeue: Owner, detail: string): readonly Execution[] {
    const isSent = !this.has('no message is sent with a grant that is not made');
    const state = isSent ? this.sendMessage(others, owner, WHOLE_LEASE) : others;
    return this.passOn(state, requeue, `${detail}, skips client ${clientOf(owner)}`);
  }

  private sendMessage(state: State, owner: Owner, lease: GivenLease): State {
    const index = clientOf(owner);
    const { status, messages } = clientAt(state, index);
    if (status !== 'up') return state;
    return withClient(state, index, { messages: [...messages, { owner, lease, isOver: false }] });
  }
}
