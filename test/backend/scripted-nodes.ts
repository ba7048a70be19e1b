import type { StoredState } from '../../lib/backend/kinds/inspection/inspection-operations.js';
import type { PubSub } from '../../lib/backend/pubsub.js';
import type { ServerHealth } from '../../lib/backend/backend-listener.js';
import type { LockOperations, NodeResult } from '../../lib/backend/lock-operations.js';
import { type NodeBackend, QuorumNode } from '../../lib/backend/quorum/quorum-node.js';
import { RetryDelay } from '../../lib/backend/quorum/retry-delay.js';
import { LockUnavailableError, LockKeyTypeError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';

/** A promise that the test settles. */
export interface HeldBack<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

export const heldBack = <T>(): HeldBack<T> => {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
};

/** The state of a promise, `pending` until it settles. */
export const outcomeOf = (
  promise: Promise<unknown>,
): { state: 'pending' | 'resolved' | 'rejected'; value: unknown } => {
  const outcome: { state: 'pending' | 'resolved' | 'rejected'; value: unknown } = {
    state: 'pending',
    value: undefined,
  };
  promise.then(
    (value) => Object.assign(outcome, { state: 'resolved', value }),
    (error: unknown) => Object.assign(outcome, { state: 'rejected', value: error }),
  );
  return outcome;
};

export const UNKNOWN = new LockUnavailableError('no reply', 'unknown', false);
export const REFUSED = new LockUnavailableError('out of memory', 'refused', false);
export const NOT_SENT = new LockUnavailableError('no connection', 'not-sent', false);
export const FORBIDDEN = new LockUnavailableError('NOPERM', 'refused', true);
export const WRONG_TYPE = new LockKeyTypeError('The key "n" holds a list');

/** A request that has reached a node and is not answered yet. */
interface Asked {
  readonly what: string;
  answer(reply: unknown): void;
  fail(error: unknown): void;
}

/** A node whose answers the test gives. */
export class ScriptedNode implements NodeBackend {
  /** Every request in the order in which it reached the node, such as `acquire n a:1`. */
  readonly log: string[] = [];
  serverId: string | undefined;
  readonly node: QuorumNode;
  readonly lock: LockOperations;
  readonly inspection = { lock: (name: string) => this.ask<StoredState>(`read ${name}`) };
  pubSub: PubSub = { subscribe: () => Promise.reject(NOT_SENT) };
  private readonly underWay: Asked[] = [];

  constructor(label: string, scheduler: MonotonicScheduler) {
    this.node = new QuorumNode(label, this, scheduler);
    this.lock = {
      acquire: ({ name, owner }) => this.ask(`acquire ${name} ${owner}`),
      hold: ({ name, owner }) => this.ask(`hold ${name} ${owner}`),
      release: ({ name, owner, silent = false }) =>
        this.ask(`${silent ? 'releaseSilently' : 'release'} ${name} ${owner}`),
      leaveBehind: ({ name, owner }) => this.ask(`leaveBehind ${name} ${owner}`),
      renew: (renewals) => this.ask(`renew ${renewals.map(({ name }) => name).join(',')}`),
      forceRelease: ({ name }) => this.ask(`forceRelease ${name}`),
      inspect: (name, owner) => this.ask(`inspect ${name} ${owner ?? 'nobody'}`),
    };
  }

  /** The number of requests without an answer. */
  get unanswered(): number {
    return this.underWay.length;
  }

  /** Answers the oldest request of this kind; an `Error` fails it. */
  reply(what: string, answer: unknown): void {
    const index = this.underWay.findIndex((asked) => asked.what.startsWith(`${what} `));
    const [asked] = index === -1 ? [] : this.underWay.splice(index, 1);
    if (!asked) throw new Error(`The node was not asked to ${what}, but: ${this.log.join('; ')}`);
    if (answer instanceof Error) asked.fail(answer);
    else asked.answer(answer);
  }

  watch(): void {}

  refuse(): void {}

  async check(): Promise<ServerHealth> {
    return { server: this.node.label, affects: 'its-vote', commands: 'up', messages: 'unused' };
  }

  open(): void {}

  async close(): Promise<void> {}

  private ask<T>(what: string): Promise<T> {
    this.log.push(what);
    const held = heldBack<T>();
    this.underWay.push({ what, answer: (reply) => held.resolve(reply as T), fail: (error) => held.reject(error) });
    return held.promise;
  }
}

/** Retries after times that the test sets. */
export class FixedDelay extends RetryDelay {
  readonly observed: number[] = [];

  constructor(
    private readonly ms = 7,
    private readonly msInDoubt = 200,
  ) {
    super();
  }

  override observe(ms: number): void {
    this.observed.push(ms);
  }

  override next(): number {
    return this.ms;
  }

  override inDoubt(): number {
    return this.msInDoubt;
  }
}

/** This many scripted nodes, on a manual clock. */
export const scriptedNodes = (size: number) => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const backends = Array.from({ length: size }, (_, index) => new ScriptedNode(`node ${index}`, scheduler));
  const nodes = backends.map(({ node }) => node);
  /** Answers the oldest request of this kind on one node. */
  const reply = (index: number, what: string, answer: unknown): void => {
    const backend = backends[index];
    if (!backend) throw new Error(`There is no node ${index}`);
    backend.reply(what, answer);
  };
  const acquired = () => ({ outcome: 'acquired', sent: new Stopwatch(scheduler) }) as const;
  return { clock, scheduler, backends, nodes, reply, acquired };
};

export const busy = (holder: string, remaining = 5000) => ({ outcome: 'busy', holder, remaining }) as const;

export const labelled = (results: readonly NodeResult[]): string[] =>
  results.map(({ node, outcome }) => `${node}: ${outcome}`);

/** All orders of the numbers below `size`. */
export const ordersOf = (size: number): readonly (readonly number[])[] =>
  Array.from({ length: size }).reduce<number[][]>(
    (orders) =>
      orders.flatMap((order) =>
        Array.from({ length: size }, (_, index) => index)
          .filter((index) => !order.includes(index))
          .map((index) => [...order, index]),
      ),
    [[]],
  );

/** All lists of this size with these values. */
export const listsOf = <T>(values: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: size }).reduce<T[][]>(
    (lists) => lists.flatMap((list) => values.map((value) => [...list, value])),
    [[]],
  );
