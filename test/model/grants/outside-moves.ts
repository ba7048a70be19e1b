import type { Move } from '../model-checker.js';
import type { ClientBehaviour } from './client-behaviour.js';
import type { OwnMoves } from './moves.js';
import type { Protection } from './protections.js';
import {
  clientAt,
  clientOf,
  JAVA,
  NO_OWNER,
  type Request,
  type State,
  WHOLE_LEASE,
  withClient,
  withFault,
} from './state.js';

/** What callers do, what fails, and what a Java client does. */
export class OutsideMoves {
  constructor(
    private readonly behaviour: ClientBehaviour,
    private readonly own: OwnMoves,
    private readonly has: (protection: Protection) => boolean,
  ) {}

  of(state: State): Move<State>[] {
    return [
      ...state.clients.flatMap(({ status }, index) =>
        status === 'up' ? [...this.callers(state, index), ...this.faults(state, index)] : [],
      ),
      ...this.leaseEnd(state),
      ...this.java(state),
    ];
  }

  private callers(state: State, index: number): Move<State>[] {
    const { todo, phase, belief } = clientAt(state, index);
    const moves: Move<State>[] = [];
    if (todo > 0) {
      moves.push({
        name: `client ${index}: a caller asks`,
        cause: 'caller',
        to: this.behaviour.onCaller(state, index),
      });
    }
    if (state.extensions > 0 && phase === 'holding' && belief > 0) {
      const to = this.behaviour.extend(state, index);
      moves.push({ name: `client ${index}: the caller extends its lease`, cause: 'caller', to });
    }
    return moves;
  }

  private faults(state: State, index: number): Move<State>[] {
    const moves: Move<State>[] = [];
    const { waiting, messages } = clientAt(state, index);
    const crashed = withFault(state, 'crash');
    if (crashed) {
      const lost = { todo: 0, waiting: 0, phase: 'idle', owner: NO_OWNER, belief: 0 } as const;
      const work = { replies: [], messages: [], releases: [], withdrawals: [] };
      const to = withClient(crashed, index, { ...lost, ...work, status: 'crashed' });
      moves.push({ name: `client ${index}: crashes`, cause: 'fault', to });
    }
    const cancelled = waiting > 0 && withFault(state, 'cancel');
    if (cancelled) {
      const to = this.behaviour.onCancel(cancelled, index);
      moves.push({ name: `client ${index}: a caller cancels`, cause: 'fault', to });
    }
    const lost = messages.length > 0 && withFault(state, 'lostMessage');
    if (lost) {
      const to = withClient(lost, index, { messages: messages.slice(1) });
      moves.push({ name: `client ${index}: a message is lost`, cause: 'fault', to });
    }
    return [...moves, ...this.noReply(state, index)];
  }

  /** A request is not answered in time: it is still on its way, or its reply is lost. */
  private noReply(state: State, index: number): Move<State>[] {
    const { requests, strays, replies } = clientAt(state, index);
    const failed = requests.length + replies.length > 0 && withFault(state, 'noReply');
    if (!failed) return [];
    const move = (left: State, { kind }: Request, what: string): Move<State> => ({
      name: `client ${index}: ${what} ${kind}`,
      cause: 'fault',
      to: left,
    });
    const unexecuted = requests.map((request, at) => {
      const left = withClient(failed, index, { requests: requests.toSpliced(at, 1), strays: [...strays, request] });
      return move(this.behaviour.onNoReply(left, index, request), request, 'no reply in time to the unexecuted');
    });
    const isSentAgain = !this.has('a request is executed once at most');
    const executed = replies.map(({ request }, at) => {
      const copies = isSentAgain ? [...strays, request] : strays;
      const left = withClient(failed, index, { replies: replies.toSpliced(at, 1), strays: copies });
      return move(this.behaviour.onNoReply(left, index, request), request, 'no reply in time to the executed');
    });
    return [...unexecuted, ...executed];
  }

  /** A lease ends although its client is up: first in the belief of the client, then at the server. */
  private leaseEnd(state: State): Move<State>[] {
    if (state.owner === NO_OWNER || state.owner === JAVA) return [];
    const ended = withFault(state, 'leaseEnd');
    if (!ended) return [];
    const index = clientOf(state.owner);
    const { status, phase, owner, belief } = clientAt(state, index);
    const isKnown = phase === 'holding' && owner === state.owner;
    if (status !== 'up' || (isKnown && belief === 0)) return [];
    // A message without the time of the server: the client believes in its lease for too long.
    const isBelieved = isKnown && belief <= state.lease;
    if (!isBelieved) return [{ name: 'the lease ends at the server', cause: 'fault', to: this.own.afterLease(ended) }];
    const to = withClient(ended, index, { belief: 0 });
    return [{ name: `client ${index}: its lease ends`, cause: 'fault', to }];
  }

  private java(state: State): Move<State>[] {
    const { phase, todo } = state.java;
    if (phase === 'away' && todo > 0) {
      return [
        { name: 'Java: listens', cause: 'caller', to: { ...state, java: { phase: 'listening', todo: todo - 1 } } },
      ];
    }
    if (phase === 'listening' && state.owner === NO_OWNER) {
      const java = { phase: 'holding', todo } as const;
      return [{ name: 'Java: acquires', cause: 'own', to: { ...state, owner: JAVA, lease: WHOLE_LEASE, java } }];
    }
    if (phase !== 'holding') return [];
    const java = { phase: 'away', todo } as const;
    return [{ name: 'Java: releases', cause: 'own', to: { ...state, owner: NO_OWNER, lease: 0, java } }];
  }
}
