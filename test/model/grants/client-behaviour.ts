import type { Protection } from './protections.js';
import {
  type Client,
  clientAt,
  type Lease,
  type Message,
  newOwner,
  NO_OWNER,
  type Owner,
  type Reply,
  type Request,
  type State,
  withClient,
} from './state.js';

const FIRST_LEASE = 1;
const WANTED_LEASE = 2;
const EXTENDED_LEASE = 3;

const FORGOTTEN = { phase: 'idle', owner: NO_OWNER } as const;

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
    if (waiting > 1 || phase === 'holding') return left;
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
    const extended = withClient(state, index, { requests: [...requests, { kind: 'hold', owner }] });
    return { ...extended, extensions: state.extensions - 1 };
  }

  onMessage(state: State, index: number, { owner, isOver }: Message): State {
    const { phase, owner: present } = clientAt(state, index);
    if (phase === 'idle' || phase === 'holding') return state;
    if (phase === 'releasing' && !this.has('the requeue id is set before the release is sent')) return state;
    if (owner !== present && this.has('a message for another owner id is ignored')) return state;
    // Too late: the next poll tells what has become of the entry.
    if (isOver && this.has('the lease is counted from the time in the message')) return state;
    const isCounted = this.has('the lease is counted from the time in the message');
    return this.hold(withClient(state, index, { owner }), index, isCounted ? FIRST_LEASE : WANTED_LEASE);
  }

  onReply(state: State, index: number, { request, outcome, isOver }: Reply): State {
    const client = clientAt(state, index);
    if (request.kind === 'hold') return this.onHeld(state, index, request.owner, outcome === 'held' && !isOver);
    const subject = request.kind === 'release' ? request.requeue : request.owner;
    // The reply is about an owner id that was withdrawn, or that was granted meanwhile.
    if (client.owner !== subject || client.phase === 'holding') return state;
    // An earlier attempt may have added the requeue, or granted it: the next poll tells.
    if (request.kind === 'release' && request.attempt === 3) return withClient(state, index, { phase: 'waiting' });
    switch (outcome) {
      case 'acquired':
      case 'kept':
        return isOver ? this.forget(state, index) : this.hold(state, index, WANTED_LEASE);
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
    if (request.kind === 'hold') return state;
    if (request.kind === 'wait') return this.onUnknown(state, index, request);
    if (request.attempt === 1 || this.has('a release with a requeue is repeated until it is answered')) {
      const attempt = request.attempt === 1 ? 2 : 3;
      return withClient(state, index, { requests: [...requests, { ...request, attempt }] });
    }
    return request.requeue === owner && phase === 'releasing' ? withClient(state, index, { phase: 'waiting' }) : state;
  }

  /** It is unknown whether a wait was executed, or will be. */
  private onUnknown(state: State, index: number, { owner, isNew }: Extract<Request, { kind: 'wait' }>): State {
    const { owner: present, phase } = clientAt(state, index);
    if (owner !== present || phase === 'holding') return state;
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

  private onHeld(state: State, index: number, owner: Owner, isExtended: boolean): State {
    const client = clientAt(state, index);
    if (!isExtended || client.owner !== owner || client.belief === 0) return state;
    return withClient(state, index, { belief: EXTENDED_LEASE });
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
