import type { Subscription } from '../../lib/backend/pubsub.js';
import { QuorumPubSub } from '../../lib/backend/quorum/quorum-pubsub.js';
import {
  FixedDelay,
  FORBIDDEN,
  NOT_SENT,
  outcomeOf,
  REFUSED,
  scriptedNodes,
  UNKNOWN,
  WRONG_TYPE,
} from './scripted-nodes.js';
import { ScriptedPubSub } from './scripted-pubsub.js';

const DELAY = 7;
/** The bounds of the random time until the next try, ms. */
const [EARLIEST_RETRY, LATEST_RETRY] = [500, 1500];

const openQuorum = (size = 3, quorum = Math.floor(size / 2) + 1) => {
  const { clock, scheduler, backends, nodes } = scriptedNodes(size);
  const servers = backends.map((backend) => {
    const server = new ScriptedPubSub();
    backend.pubSub = server;
    return server;
  });
  const on = (index: number): ScriptedPubSub => {
    const server = servers[index];
    if (!server) throw new Error(`There is no node ${index}`);
    return server;
  };
  const pubSub = new QuorumPubSub({ nodes, quorum, retryDelay: new FixedDelay(DELAY), scheduler });
  const wakes: number[] = [];
  let woken = (): void => {};
  const onWake = (work: () => void): void => {
    woken = work;
  };
  const listener = (): void => {
    wakes.push(clock.now());
    woken();
  };
  const subscribing = outcomeOf(pubSub.subscribe('channel', listener));
  const subscription = (): Subscription => {
    if (subscribing.state !== 'resolved') throw new Error(`The subscription is ${subscribing.state}`);
    return subscribing.value as Subscription;
  };
  /** Answers the subscriptions, node by node. `ok` acknowledges, `pending` leaves unanswered, and an error fails. */
  const answer = async (...answers: ('ok' | 'pending' | Error)[]): Promise<void> => {
    for (const [index, one] of answers.entries()) {
      if (one === 'ok') on(index).acknowledge();
      else if (one !== 'pending') on(index).fail(one);
    }
    await clock.advance(0);
  };
  return { clock, servers, on, onWake, subscribing, subscription, answer, wakes };
};

describe('Listening to a quorum', () => {
  it.each([
    { size: 3, answers: ['ok', 'pending', 'pending'], end: 'pending' },
    { size: 3, answers: ['ok', 'ok', 'pending'], end: 'alive' },
    { size: 3, answers: ['ok', 'ok', UNKNOWN], end: 'alive' },
    { size: 3, answers: ['ok', UNKNOWN, 'pending'], end: 'pending' },
    { size: 3, answers: ['ok', UNKNOWN, FORBIDDEN], end: 'not alive' },
    { size: 3, answers: [UNKNOWN, UNKNOWN, 'pending'], end: 'pending' },
    { size: 3, answers: [UNKNOWN, UNKNOWN, NOT_SENT], end: 'not alive' },
    { size: 5, answers: ['ok', 'ok', 'pending', 'pending', 'pending'], end: 'pending' },
    { size: 5, answers: ['ok', 'ok', 'ok', 'pending', 'pending'], end: 'alive' },
    { size: 5, answers: ['ok', 'ok', REFUSED, REFUSED, REFUSED], end: 'not alive' },
  ] as const)('is $end when the $size nodes have answered $answers', async ({ size, answers, end }) => {
    const { subscribing, subscription, answer } = openQuorum(size);
    await answer(...answers);
    const found = (): string => (subscription().alive ? 'alive' : 'not alive');
    expect(subscribing.state === 'resolved' ? found() : subscribing.state).toBe(end);
  });

  it('is active as long as a majority of its subscriptions is', async () => {
    const { on, subscription, answer } = openQuorum();
    await answer('ok', 'ok', UNKNOWN);
    const alive: boolean[] = [subscription().alive];
    for (const isAlive of [false, true]) {
      on(1).alive = isAlive;
      alive.push(subscription().alive);
    }
    expect(alive).toEqual([true, false, true]);
  });

  it.each([UNKNOWN, NOT_SENT, REFUSED])('tries a node again that failed with %p, until it answers', async (error) => {
    const { clock, on, subscription, answer } = openQuorum();
    await answer('ok', error, error);
    expect(subscription().alive).toBe(false);
    for (let tries = 1; tries <= 3; tries += 1) {
      expect(on(1).tries).toHaveLength(tries);
      await clock.advance(EARLIEST_RETRY - 1);
      expect(on(1).tries).toHaveLength(tries);
      await clock.advance(LATEST_RETRY - EARLIEST_RETRY + 1);
      if (tries < 3) await answer('pending', error);
    }
    await answer('pending', 'ok');
    expect(subscription().alive).toBe(true);
    await clock.advance(10 * LATEST_RETRY);
    expect(on(0).tries).toHaveLength(1);
    expect(on(1).tries).toHaveLength(4);
    expect(on(2).tries).toHaveLength(2);
  });

  it.each([FORBIDDEN, WRONG_TYPE, new TypeError('a defect')])(
    'never again tries a node that failed with %p',
    async (error) => {
      const { clock, on, answer } = openQuorum();
      await answer('ok', 'ok', error);
      await clock.advance(10 * LATEST_RETRY);
      expect(on(2).tries).toHaveLength(1);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('A message of a quorum', () => {
  /** A subscription on all nodes. The listener has been woken for messages that it may have missed before. */
  const listening = async () => {
    const bench = openQuorum();
    await bench.answer('ok', 'ok', 'ok');
    await bench.clock.advance(DELAY);
    bench.wakes.length = 0;
    return bench;
  };

  it('wakes the listener once, a delay after the message of the first node', async () => {
    const { clock, servers, wakes } = await listening();
    const sent = clock.now();
    for (const server of servers) {
      server.send();
      await clock.advance(2);
    }
    expect(wakes).toEqual([]);
    await clock.advance(1000);
    expect(wakes).toEqual([sent + DELAY]);
  });

  it('wakes the listener for a message that comes while the listener runs', async () => {
    const { clock, on, onWake, wakes, answer } = openQuorum();
    await answer('ok', 'ok', 'ok');
    onWake(() => {
      if (wakes.length === 1) on(2).send();
    });
    await clock.advance(1000);
    expect(wakes).toEqual([DELAY, 2 * DELAY]);
  });

  it('counts as missed before each node was subscribed', async () => {
    const { clock, wakes, answer } = openQuorum();
    await answer('ok', 'pending', NOT_SENT);
    await clock.advance(100);
    expect(wakes).toEqual([DELAY]);
    await answer('pending', 'ok');
    await clock.advance(100);
    expect(wakes).toEqual([DELAY, 100 + DELAY]);
    await clock.advance(LATEST_RETRY - 200);
    const retried = clock.now();
    await answer('pending', 'pending', 'ok');
    await clock.advance(100);
    expect(wakes).toEqual([DELAY, 100 + DELAY, retried + DELAY]);
  });
});

describe('A cancelled subscription to a quorum', () => {
  it('ends on all nodes, and drops a pending message', async () => {
    const { clock, servers, on, subscription, wakes, answer } = openQuorum();
    await answer('ok', 'ok', 'ok');
    on(0).send();
    subscription().cancel();
    expect(servers.map(({ cancelled }) => cancelled)).toEqual([1, 1, 1]);
    expect(subscription().alive).toBe(false);
    await clock.advance(10_000);
    expect(wakes).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('ends on a node that answers after the cancellation', async () => {
    const { clock, on, subscription, wakes, answer } = openQuorum();
    await answer('ok', 'ok', 'pending');
    subscription().cancel();
    await answer('pending', 'pending', 'ok');
    expect(on(2).cancelled).toBe(1);
    expect(subscription().alive).toBe(false);
    await clock.advance(10_000);
    expect(wakes).toEqual([]);
  });

  it('is not repeated on a node that fails after the cancellation, or failed before', async () => {
    const { clock, on, subscription, answer } = openQuorum(5);
    await answer('ok', 'ok', 'ok', UNKNOWN, 'pending');
    subscription().cancel();
    await answer('pending', 'pending', 'pending', 'pending', UNKNOWN);
    await clock.advance(10 * LATEST_RETRY);
    expect([3, 4].map((index) => on(index).tries.length)).toEqual([1, 1]);
    expect(clock.pending).toBe(0);
  });
});
