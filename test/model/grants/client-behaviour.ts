import type { Protection } from './protections.js';
import {
  type Client,
  clientAt,
  EXTENDED_LEASE,
  FIRST_LEASE,
  type Lease,
  type Message,
  newOwner,
  NO_OWNER,
  type Owner,
  type Reply,
  type Request,
  type State,
  WHOLE_LEASE,
  withClient,
} from './state.js';

const FORGOTTEN = { phase: 'idle', owner: NO_OWNER } as const;

type HoldRequest = Extract<Request, { kind: 'hold' }>;

/** Whether a client was granted the lock, so that replies to earlier requests do not matter any more. */
const isGiven = ({ phase }: Client): boolean => phase === 'holding' || phase === 'setting';

/** How a client reacts to its callers, to replies and to messages. */
export class ClientBehaviour {
  constructor(private readonly has: (protection: Protection) => boolean) {}

  onCaller(state: State, index: number): State {
    const { todo, waiting, phase } = clientAt(state, index);
    const joined = withClient(state, index, { todo: todo - 1, waiting: waiting + 1 });
    return phase === 'idle' ? this.askAnew(joined, index) : joined;
  }

  /** A caller stops waiting: it is cancelled, or its time is over. */
  onCancel(state: State, index: number): State {
    const { waiting, phase, owner, releases, withdrawals } = clientAt(state, index);
    const left = withClient(state, index, { waiting: waiting - 1 });
    // A client that sets its lease gives the lock back once it has it.
    if (waiting > 1 || phase === 'holding' || phase === 'setting') return left;
    const isRepeated = this.has('a withdrawal for a cancelled caller is repeated as well');
    const work = isRepeated ? { withdrawals: [...withdrawals, owner] } : { releases: [...releases, owner] };
    return withClient(left, index, { ...FORGOTTEN, ...work });
  }

  /** The section of the holder is over. */
  onFinished(state: State, index: number): State {
    const { waiting, owner, requests, releases } = clientAt(state, index);
    const ended = withClient(state, index, { ...FORGOTTEN, belief: 0 });
    if (waiting === 0) return withClient(ended, index, { releases: [...releases, owner] });
    const requeue = newOwner(state, index);
    const release: Request = { kind: 'release', owner, requeue, attempt: 1 };
    return withClient(ended, index, { phase: 'releasing', owner: requeue, requests: [...requests, release] });
  }

  poll(state: State, index: number): State {
    return this.ask(state, index, clientAt(state, index).owner, false);
  }

  /** The caller asks for a longer lease. */
  extend(state: State, index: number): State {
    const { owner, requests } = clientAt(state, index);
    const extended = withClient(state, index, {
      requests: [...requests, { kind: 'hold', owner, lease: EXTENDED_LEASE }],
    });
    return { ...extended, extensions: state.extensions - 1 };
  }

  onMessage(state: State, index: number, { owner, lease, isOver }: Message): State {
    const { phase, owner: present, requests } = clientAt(state, index);
    if (phase === 'idle' || phase === 'setting' || phase === 'holding') return state;
    if (phase === 'releasing' && !this.has('the requeue id is set before the release is sent')) return state;
    if (owner !== present && this.has('a message for another owner id is ignored')) return state;
    // Too late: the next poll tells what has become of the entry.
    if (isOver && this.has('the lease is counted from the time in the message')) return state;
    const isCounted = this.has('the lease is counted from the time in the message');
    if (lease === FIRST_LEASE && this.has('a first lease becomes the whole one before the caller acts')) {
      const hold: Request = { kind: 'hold', owner, lease: WHOLE_LEASE };
      return withClient(state, index, { phase: 'setting', owner, requests: [...requests, hold] });
    }
    return this.hold(withClient(state, index, { owner }), index, isCounted ? lease : EXTENDED_LEASE);
  }

  onReply(state: State, index: number, { request, outcome, isOver }: Reply): State {
    const client = clientAt(state, index);
    if (request.kind === 'hold') return this.onHeld(state, index, request, outcome === 'held' && !isOver);
    const subject = request.kind === 'release' ? request.requeue : request.owner;
    // The reply is about an owner id that was withdrawn, or that was granted meanwhile.
    if (client.owner !== subject || isGiven(client)) return state;
    // An earlier attempt may have added the requeue, or granted it: the next poll tells.
    if (request.kind === 'release' && request.attempt === 3) return withClient(state, index, { phase: 'waiting' });
    switch (outcome) {
      case 'acquired':
      case 'kept':
        return isOver ? this.forget(state, index) : this.hold(state, index, WHOLE_LEASE);
      case 'busy':
      case 'passed on':
        return withClient(state, index, { phase: 'waiting' });
      case 'not held':
        return this.onNotHeld(state, index, request);
      case 'gone':
      case 'released':
        return this.askAnew(state, index);
      default:
        throw new Error(`A ${request.kind} is never answered by ${outcome}`);
    }
  }

  /** No reply to a request came in time. */
  onNoReply(state: State, index: number, request: Request): State {
    const { owner, phase, requests } = clientAt(state, index);
    if (request.kind === 'hold') {
      return phase === 'setting' && request.owner === owner ? this.giveBack(state, index) : state;
    }
    if (request.kind === 'wait') return this.onUnknown(state, index, request);
    if (request.attempt === 1 || this.has('a release with a requeue is repeated until it is answered')) {
      const attempt = request.attempt === 1 ? 2 : 3;
      return withClient(state, index, { requests: [...requests, { ...request, attempt }] });
    }
    return request.requeue === owner && phase === 'releasing' ? withClient(state, index, { phase: 'waiting' }) : state;
  }

  /** It is unknown whether a wait was executed, or will be. */
  private onUnknown(state: State, index: number, { owner, isNew }: Extract<Request, { kind: 'wait' }>): State {
    const client = clientAt(state, index);
    if (owner !== client.owner || isGiven(client)) return state;
    // A poll that is executed late does nothing, so that the owner id can be kept.
    return isNew ? this.forget(state, index) : withClient(state, index, { phase: 'waiting' });
  }

  /** Whether background work may reach the server now: it follows the requests about its owner id. */
  maySend({ requests }: Client, owner: Owner): boolean {
    const isOrdered = this.has('a withdrawal of a requeue id follows the release that carries it');
    return !requests.some((request) =>
      request.kind === 'release'
        ? [request.requeue, request.owner].includes(owner) && (isOrdered || request.attempt === 1)
        : request.owner === owner,
    );
  }

  /** The release was executed, and is not repeated any more. */
  afterRelease(state: State, index: number, owner: Owner): State {
    const releases = clientAt(state, index).releases.filter((other) => other !== owner);
    return withClient(state, index, { releases });
  }

  /** The withdrawal was executed, and is repeated while a request may still add an entry. */
  afterWithdrawal(state: State, index: number, owner: Owner): State {
    const { strays, withdrawals } = clientAt(state, index);
    const mayAddEntry = strays.some((request) => request.kind === 'wait' && request.owner === owner);
    if (mayAddEntry && this.has('a withdrawal is repeated until no request can add an entry')) return state;
    return withClient(state, index, { withdrawals: withdrawals.filter((other) => other !== owner) });
  }

  /** Becomes the holder, for the caller that waits first. */
  private hold(state: State, index: number, belief: Lease): State {
    return withClient(state, index, { phase: 'holding', belief, waiting: clientAt(state, index).waiting - 1 });
  }

  private onHeld(state: State, index: number, { owner, lease }: HoldRequest, isHeld: boolean): State {
    const { owner: present, phase, belief, waiting } = clientAt(state, index);
    if (owner !== present) return state;
    if (phase === 'setting') {
      if (!isHeld) return waiting > 0 ? this.askAnew(state, index) : withClient(state, index, FORGOTTEN);
      return waiting > 0 ? this.hold(state, index, lease) : this.giveBack(state, index);
    }
    return isHeld && belief > 0 ? withClient(state, index, { belief: lease }) : state;
  }

  /** Releases what it was given: its lease is not certain, or no caller waits any more. */
  private giveBack(state: State, index: number): State {
    const { owner, releases, waiting } = clientAt(state, index);
    const isReleased = this.has('a lock that was given, and is not taken, is given back');
    const left = withClient(state, index, { ...FORGOTTEN, releases: isReleased ? [...releases, owner] : releases });
    return waiting > 0 ? this.askAnew(left, index) : left;
  }

  private onNotHeld(state: State, index: number, request: Request): State {
    const isAgain = request.kind === 'release' && request.attempt > 1;
    if (!isAgain || !this.has('a repeated release that finds nothing is followed by a poll')) {
      return this.askAnew(state, index);
    }
    return withClient(state, index, { phase: 'waiting' });
  }

  /** Withdraws the present owner id, and goes on with a new one. */
  private forget(state: State, index: number): State {
    const { owner, withdrawals } = clientAt(state, index);
    if (!this.has('a withdrawal follows an unknown outcome')) return this.askAnew(state, index);
    return this.askAnew(withClient(state, index, { withdrawals: [...withdrawals, owner] }), index);
  }

  private askAnew(state: State, index: number): State {
    return this.ask(state, index, newOwner(state, index), true);
  }

  private ask(state: State, index: number, owner: Owner, isNew: boolean): State {
    const requests: readonly Request[] = [...clientAt(state, index).requests, { kind: 'wait', owner, isNew }];
    return withClient(state, index, { phase: 'asking', owner, requests });
  }
}
