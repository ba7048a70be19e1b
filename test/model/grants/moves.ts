import type { Move } from '../model-checker.js';
import type { ClientBehaviour } from './client-behaviour.js';
import type { Protection } from './protections.js';
import type { Execution, Server } from './server.js';
import { requestText } from './state-text.js';
import {
  type Client,
  clientAt,
  clientOf,
  JAVA,
  NO_OWNER,
  type Owner,
  type Request,
  type State,
  withClient,
} from './state.js';

/** The moves that the system makes by itself. */
export class OwnMoves {
  constructor(
    private readonly server: Server,
    private readonly behaviour: ClientBehaviour,
    private readonly has: (protection: Protection) => boolean,
  ) {}

  of(state: State): Move<State>[] {
    return [...state.clients.flatMap((_client, index) => this.ofClient(state, index)), ...this.ofLease(state)];
  }

  private ofClient(state: State, index: number): Move<State>[] {
    const client = clientAt(state, index);
    const { status, requests, strays } = client;
    const moves: Move<State>[] = [];
    const [next, ...rest] = requests;
    if (next) moves.push(...this.execute(withClient(state, index, { requests: rest }), index, next, status === 'up'));
    for (const [at, request] of strays.entries()) {
      const left = withClient(state, index, { strays: strays.toSpliced(at, 1) });
      moves.push(...this.execute(left, index, request, false));
      moves.push({ name: `client ${index}: a late ${requestText(request)} is never executed`, cause: 'own', to: left });
    }
    if (status === 'up') moves.push(...this.ofLiveClient(state, index, client));
    if (status === 'crashed') {
      const gone = withClient(state, index, { status: 'gone', requests: [] });
      moves.push({ name: `client ${index}: the server notices the crash`, cause: 'own', to: gone });
    }
    return moves;
  }

  private execute(state: State, index: number, request: Request, isAnswered: boolean): Move<State>[] {
    return this.server.execute(state, request).map(({ state: executed, outcome, detail }) => {
      const replies = [...clientAt(executed, index).replies, { request, outcome, isOver: false }];
      const to = isAnswered ? withClient(executed, index, { replies }) : executed;
      const late = isAnswered ? '' : 'late ';
      const name = `client ${index}: the server executes ${late}${requestText(request)}: ${outcome}${detail}`;
      return { name, cause: 'own', to };
    });
  }

  private ofLiveClient(state: State, index: number, client: Client): Move<State>[] {
    const moves: Move<State>[] = [];
    const [reply, ...replies] = client.replies;
    if (reply) {
      const to = this.behaviour.onReply(withClient(state, index, { replies }), index, reply);
      moves.push({ name: `client ${index}: reply to ${requestText(reply.request)}`, cause: 'own', to });
    }
    const [message, ...messages] = client.messages;
    if (message) {
      const to = this.behaviour.onMessage(withClient(state, index, { messages }), index, message);
      moves.push({ name: `client ${index}: message for ${message.owner}`, cause: 'own', to });
    }
    if (client.phase === 'waiting') {
      moves.push({ name: `client ${index}: polls`, cause: 'poll', to: this.behaviour.poll(state, index) });
    }
    if (client.phase === 'holding') {
      const to = this.behaviour.onFinished(state, index);
      moves.push({ name: `client ${index}: the section ends`, cause: 'own', to });
    }
    return [...moves, ...this.backgroundWork(state, index, client)];
  }

  private backgroundWork(state: State, index: number, client: Client): Move<State>[] {
    const { behaviour, server } = this;
    const move = (what: string, { detail }: Execution, to: State): Move<State> => ({
      name: `client ${index}: the server executes ${what}${detail}`,
      cause: 'own',
      to,
    });
    const mayBeSent = (owner: Owner): boolean => behaviour.maySend(client, owner);
    const releases = client.releases.filter(mayBeSent).flatMap((owner) =>
      server.release(state, owner).map((execution) => {
        return move(`release(${owner})`, execution, behaviour.afterRelease(execution.state, index, owner));
      }),
    );
    const withdrawals = client.withdrawals.filter(mayBeSent).flatMap((owner) =>
      server.withdraw(state, owner).map((execution) => {
        return move(`withdraw(${owner})`, execution, behaviour.afterWithdrawal(execution.state, index, owner));
      }),
    );
    return [...releases, ...withdrawals];
  }

  /** The lease of a client that crashed, or that has given up its hold because the lease seemed over. */
  private ofLease(state: State): Move<State>[] {
    if (state.owner === NO_OWNER || state.owner === JAVA) return [];
    const { status, phase, owner, belief } = clientAt(state, clientOf(state.owner));
    const isGivenUp = phase === 'holding' && owner === state.owner && belief === 0;
    if (status === 'up' && !isGivenUp) return [];
    return [{ name: 'the lease ends', cause: 'lease end', to: this.afterLease(state) }];
  }

  /** The lease ends. What is on its way to the client has the time at which it ends. */
  afterLease(state: State): State {
    const index = clientOf(state.owner);
    const { replies, messages } = clientAt(state, index);
    const acquiredBy = (request: Request): Owner => (request.kind === 'release' ? request.requeue : request.owner);
    const isCounted = this.has('the lease is counted from the time in the message');
    const change = {
      replies: replies.map((reply) => (acquiredBy(reply.request) === state.owner ? { ...reply, isOver: true } : reply)),
      messages: messages.map((message) =>
        message.owner === state.owner && isCounted ? { ...message, isOver: true } : message,
      ),
    };
    return { ...withClient(state, index, change), owner: NO_OWNER, lease: 0 };
  }
}
