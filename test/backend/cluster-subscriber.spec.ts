import type { Subscription } from '../../lib/backend/pubsub.js';
import { ClusterSubscriber } from '../../lib/backend/cluster/cluster-subscriber.js';
import { ClusterTopology } from '../../lib/backend/cluster/cluster-topology.js';
import { replyError, ScriptedCluster, type Shard } from './scripted-cluster.js';
import { outcomeOf } from './scripted-nodes.js';

const TIMEOUT = 1000;
const SHARDS: readonly Shard[] = [['a:1'], ['b:1'], ['c:1']];
/** The first shard is served by another server. */
const servedBy = (master: string): readonly Shard[] => [[master], ['b:1'], ['c:1']];

const openSubscriber = () => {
  const cluster = new ScriptedCluster(SHARDS);
  const { clock, scheduler } = cluster;
  const settings = { commandTimeout: TIMEOUT, shardedPubSub: false };
  const topology = new ClusterTopology(cluster.servers(['a:1', 'b:1', 'c:1']), settings, scheduler);
  const subscriber = new ClusterSubscriber(topology, TIMEOUT, scheduler);
  const wakes: string[] = [];
  const [channel, other] = [cluster.nameIn(0), cluster.nameIn(1)];
  const subscribe = (name = channel) => {
    const outcome = outcomeOf(subscriber.subscribe(name, () => wakes.push(name)));
    const subscription = (): Subscription => {
      if (outcome.state !== 'resolved') throw new Error(`The subscription is ${outcome.state}`);
      return outcome.value as Subscription;
    };
    return { outcome, subscription };
  };
  const look = async (shards: readonly Shard[] = cluster.shards): Promise<void> => {
    cluster.shards = shards;
    topology.refreshSoon();
    await clock.advance(100);
  };
  const asked = (address: string, name = channel): string[] =>
    cluster
      .at(address)
      .log.filter((command) => command.endsWith(`SUBSCRIBE ${name}`))
      .map((command) => command.split(' ')[0] ?? '');
  const say = (address: string, name = channel): void => {
    for (const client of cluster.at(address).open('subscriber')) client.listener.onMessage(name, '');
  };
  return { cluster, clock, topology, subscriber, wakes, channel, other, subscribe, look, asked, say };
};

/** Opens a bench with a listener to a channel at the server `a:1`. */
const listening = async () => {
  const bench = openSubscriber();
  const subscribing = bench.subscribe();
  await bench.clock.advance(0);
  // A connection wakes all of its listeners when its subscription begins.
  bench.wakes.length = 0;
  return { ...bench, subscription: subscribing.subscription() };
};

describe('A subscription in a cluster', () => {
  it('is made where the channel is served, over one connection to each server', async () => {
    const { cluster, clock, channel, other, subscribe, asked, say, wakes } = openSubscriber();
    const subscriptions = [subscribe(), subscribe(), subscribe(other)];
    await clock.advance(0);
    expect(subscriptions.map(({ subscription }) => subscription().alive)).toEqual([true, true, true]);
    expect(['a:1', 'b:1', 'c:1'].map((address) => cluster.at(address).open('subscriber').length)).toEqual([1, 1, 0]);
    expect([asked('b:1'), asked('a:1', other), asked('b:1', other)]).toEqual([[], [], ['SUBSCRIBE']]);
    wakes.length = 0;
    say('a:1');
    expect(wakes).toEqual([channel, channel]);
  });

  it('D71: begins later if the server does not answer in time, which has the slot map refreshed', async () => {
    const { cluster, clock, subscribe, asked, channel, wakes } = openSubscriber();
    const held = cluster.at('a:1').holdBack('SUBSCRIBE');
    const { outcome, subscription } = subscribe();
    await clock.advance(TIMEOUT - 1);
    expect(outcome.state).toBe('pending');
    await clock.advance(1);
    expect(subscription().alive).toBe(false);
    await clock.advance(400);
    expect(cluster.at('b:1').count('CLUSTER SLOTS')).toBe(2);
    held[0]?.resolve(1);
    await clock.advance(0);
    expect([subscription().alive, wakes, asked('a:1')]).toEqual([true, [channel], ['SUBSCRIBE']]);
  });

  it.each([
    { sharded: true, name: (served: string) => served, command: 'SSUBSCRIBE' },
    // The channel of a latch whose name has braces lies in another slot than the latch.
    { sharded: true, name: () => 'redisson_countdownlatch__channel__{{x}y}', command: 'SUBSCRIBE' },
    { sharded: false, name: (served: string) => served, command: 'SUBSCRIBE' },
  ])('is made by $command (sharded messages: $sharded)', async ({ sharded, name, command }) => {
    const cluster = new ScriptedCluster(SHARDS);
    const settings = { commandTimeout: TIMEOUT, shardedPubSub: sharded };
    const topology = new ClusterTopology(cluster.servers(['a:1']), settings, cluster.scheduler);
    const subscriber = new ClusterSubscriber(topology, TIMEOUT, cluster.scheduler);
    outcomeOf(subscriber.subscribe(name(cluster.nameIn(0)), () => {}));
    await cluster.clock.advance(0);
    const commands = SHARDS.flatMap(([master = '']) => cluster.at(master).log);
    expect(commands.map((one) => one.split(' ')[0]).filter((one) => one?.endsWith('SUBSCRIBE'))).toEqual([command]);
  });

  it('ends on the server when it is cancelled', async () => {
    const { clock, subscription, asked, say, wakes, look } = await listening();
    subscription.cancel();
    expect(subscription.alive).toBe(false);
    await clock.advance(0);
    expect(asked('a:1')).toEqual(['SUBSCRIBE', 'UNSUBSCRIBE']);
    say('a:1');
    await look(servedBy('b:1'));
    expect(asked('b:1')).toEqual([]);
    expect(wakes).toEqual([]);
  });
});

describe('A subscription whose slot moves', () => {
  it('follows the slot, and wakes its listener once subscribed, since messages may have been missed', async () => {
    const { cluster, clock, subscription, subscribe, asked, say, wakes, look, channel, other } = await listening();
    subscribe(other);
    await clock.advance(100);
    wakes.length = 0;
    const [held] = [cluster.at('b:1').holdBack('SUBSCRIBE')];
    await look(servedBy('b:1'));
    expect(subscription.alive).toBe(false);
    // The former server has no slots left, so that its connection is closed with the subscription.
    expect([asked('a:1'), asked('b:1')]).toEqual([['SUBSCRIBE'], ['SUBSCRIBE']]);
    expect(cluster.at('a:1').open('subscriber')).toEqual([]);
    expect(wakes).toEqual([]);
    held[0]?.resolve(1);
    await clock.advance(0);
    expect(subscription.alive).toBe(true);
    expect(wakes).toEqual([channel]);
    say('a:1');
    expect(wakes).toEqual([channel]);
    say('b:1');
    expect(wakes).toEqual([channel, channel]);
  });

  it('stays on its server as long as that serves the slot, whatever else has changed', async () => {
    const { asked, wakes, look, subscription } = await listening();
    await look([['a:1'], ['c:1'], ['b:1']]);
    expect([asked('a:1'), wakes, subscription.alive]).toEqual([['SUBSCRIBE'], [], true]);
  });

  it.each(['b:1', 'a:1'])(
    'moves on to %s before the server in between has answered, and does not listen there',
    async (to) => {
      const { cluster, clock, subscription, asked, say, wakes, look } = await listening();
      const [held] = [cluster.at('c:1').holdBack('SUBSCRIBE')];
      await look(servedBy('c:1'));
      await look(servedBy(to));
      expect(subscription.alive).toBe(true);
      held[0]?.resolve(1);
      await clock.advance(0);
      expect(asked('c:1')).toEqual(['SUBSCRIBE', 'UNSUBSCRIBE']);
      expect(subscription.alive).toBe(true);
      wakes.length = 0;
      say('c:1');
      expect(wakes).toEqual([]);
      say(to);
      expect(wakes).toHaveLength(1);
    },
  );

  it.each([
    { error: replyError('LOADING'), isTriedAgain: true },
    { error: replyError("NOPERM can't listen"), isTriedAgain: false },
  ])('on a server that replies $error is repeated: $isTriedAgain', async ({ error, isTriedAgain }) => {
    const { cluster, clock, subscription, look, wakes } = await listening();
    cluster.at('b:1').answer('SUBSCRIBE', () => Promise.reject(error));
    await look(servedBy('b:1'));
    expect(subscription.alive).toBe(false);
    expect(wakes.length).toBeGreaterThan(0);
    cluster.at('b:1').answer('SUBSCRIBE', () => 1);
    await clock.advance(500);
    expect(subscription.alive).toBe(isTriedAgain);
    await look();
    expect(subscription.alive).toBe(true);
  });
});

describe('A server that ends a subscription after losing the slot', () => {
  it('wakes the listeners, which subscribe again after the next refresh', async () => {
    const { cluster, clock, subscription, wakes, channel, other, subscribe, asked } = await listening();
    const elsewhere = subscribe(other);
    await clock.advance(100);
    wakes.length = 0;
    cluster.shards = servedBy('c:1');
    for (const client of cluster.at('a:1').open('subscriber')) client.listener.onMoved();
    expect([subscription.alive, elsewhere.subscription().alive]).toEqual([false, true]);
    expect(wakes).toEqual([channel]);
    await clock.advance(0);
    expect(asked('c:1')).toEqual(['SUBSCRIBE']);
    expect(subscription.alive).toBe(true);
    expect(wakes.slice(1)).toContain(channel);
  });
});

describe('Closing the subscriptions of a cluster', () => {
  it('closes the connections, rejects new subscriptions, and follows no more moves', async () => {
    const { cluster, clock, topology, subscriber, subscribe, other, look, wakes } = await listening();
    cluster.at('b:1').holdBack('SUBSCRIBE');
    const { outcome } = subscribe(other);
    await clock.advance(0);
    await Promise.all([subscriber.close(), topology.close()]);
    await clock.advance(0);
    expect(outcome).toMatchObject({ state: 'rejected', value: { code: 'LOCK_UNAVAILABLE' } });
    wakes.length = 0;
    await look(servedBy('c:1'));
    await clock.advance(5000);
    expect(wakes).toEqual([]);
    expect(SHARDS.flatMap(([master = '']) => cluster.at(master).open('subscriber'))).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
