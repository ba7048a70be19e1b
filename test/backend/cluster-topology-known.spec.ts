import { ClusterTopology } from '../../lib/backend/cluster/cluster-topology.js';
import type { TransportSettings } from '../../lib/backend/connection/target.js';
import type { AddressMap } from '../../lib/backend/driver/server-options.js';
import { replyError, ScriptedCluster } from './scripted-cluster.js';
import { outcomeOf } from './scripted-nodes.js';

const TIMEOUT = 1000;
const SEEDS = ['a:1', 'b:1', 'c:1'];
const SLOTS = 'CLUSTER SLOTS';

const openTopology = (settings: Partial<TransportSettings> = {}, natMap?: AddressMap) => {
  const cluster = new ScriptedCluster(SEEDS.map((seed) => [seed]));
  const { clock, scheduler } = cluster;
  const topology = new ClusterTopology(
    cluster.servers(SEEDS, natMap),
    { commandTimeout: TIMEOUT, ...settings },
    scheduler,
  );
  const looks = (): number[] => SEEDS.map((address) => cluster.at(address).count(SLOTS));
  const look = async (): Promise<void> => {
    topology.refreshSoon();
    await clock.advance(100);
  };
  return { cluster, clock, topology, seeds: SEEDS, looks, look };
};

describe('Waiting for the slot map', () => {
  it('takes one refresh for all waiters', async () => {
    const { cluster, clock, topology, looks, seeds } = openTopology();
    const held = seeds.map((address) => cluster.at(address).holdBack(SLOTS));
    const waiting = [500, 900].map((deadline) => outcomeOf(topology.whenKnown(deadline, 'n')));
    await clock.advance(400);
    expect(looks()).toEqual([1, 1, 1]);
    held[1]?.[0]?.resolve(cluster.slots());
    await clock.advance(0);
    expect(waiting.map(({ state }) => state)).toEqual(['resolved', 'resolved']);
    await expect(topology.whenKnown(clock.now())).resolves.toBeUndefined();
  });

  it('ends at the deadline of each waiter, with the reason', async () => {
    const { cluster, clock, topology, seeds } = openTopology();
    for (const address of seeds) cluster.at(address).answer(SLOTS, () => Promise.reject(replyError('LOADING')));
    const [soon, later] = [outcomeOf(topology.whenKnown(400, 'n')), outcomeOf(topology.whenKnown(900, 'n'))];
    await clock.advance(400);
    expect([soon.state, later.state]).toEqual(['rejected', 'pending']);
    expect(soon.value).toMatchObject({ outcome: 'not-sent', lockName: 'n', cause: topology.lastError });
    for (const address of seeds) cluster.at(address).answer(SLOTS, () => cluster.slots());
    await clock.advance(100);
    expect(later.state).toBe('resolved');
  });

  it('ends for all waiters when the topology is closed, and does not begin after that', async () => {
    const { cluster, clock, topology, seeds } = openTopology();
    for (const address of seeds) cluster.at(address).isUp = false;
    const waiting = [300, 900].map((deadline) => outcomeOf(topology.whenKnown(deadline)));
    await clock.advance(100);
    await topology.close();
    await clock.advance(0);
    expect(waiting.map(({ state }) => state)).toEqual(['rejected', 'rejected']);
    await expect(topology.whenKnown(10_000)).rejects.toMatchObject({ outcome: 'not-sent' });
    expect(clock.pending).toBe(0);
  });
});

describe('The sharding of messages in a cluster', () => {
  const refused = (message: string) => (): Promise<never> => Promise.reject(replyError(message));

  it.each([
    { setting: 'auto', reply: () => [], isSharded: true, asked: 1 },
    { setting: 'auto', reply: refused("ERR Unknown PUBSUB subcommand 'SHARDNUMSUB'"), isSharded: false, asked: 1 },
    { setting: 'auto', reply: refused("NOPERM can't run 'pubsub|shardnumsub'"), isSharded: true, asked: 1 },
    { setting: 'auto', reply: refused("NOPERM can't run 'pubsub'"), isSharded: false, asked: 1 },
    { setting: true, reply: refused('ERR'), isSharded: true, asked: 0 },
    { setting: false, reply: () => [], isSharded: false, asked: 0 },
  ] as const)('is determined once: $isSharded with $setting', async ({ setting, reply, isSharded, asked }) => {
    const { cluster, topology, look, seeds } = openTopology({ shardedPubSub: setting });
    for (const address of seeds) cluster.at(address).answer('PUBSUB', reply);
    await look();
    await look();
    expect(topology.isSharded).toBe(isSharded);
    expect(seeds.reduce((sum, address) => sum + cluster.at(address).count('PUBSUB'), 0)).toBe(asked);
  });
});

describe('Addresses announced by servers of a cluster', () => {
  const outside = { 'a:1': { host: 'out', port: 101 }, 'b:1': { host: 'out', port: 102 } };
  const seen = (address: string) => (address in outside ? outside[address as keyof typeof outside] : null);

  it.each([
    ['an object', outside],
    ['a function', seen],
  ])('are replaced by those of an address map that is %s', async (_, natMap) => {
    const { cluster, clock, topology, look } = openTopology({}, natMap);
    await look();
    expect([...topology.masters]).toEqual(['out:101', 'out:102', 'c:1']);
    expect(topology.masterOf(cluster.nameIn(0))).toBe('out:101');
    const node = topology.nodeAt('out:101');
    await node.whenConnected(clock.now() + TIMEOUT);
    expect(cluster.at('out:101').open('commands')).toHaveLength(1);
    expect([topology.resolveAddress(node, 'b', 1), topology.resolveAddress(node, 'c', 1)]).toEqual(['out:102', 'c:1']);
  });

  it('without a host are those of the announcing server', async () => {
    const { topology, look } = openTopology();
    await look();
    expect(topology.resolveAddress(topology.nodeAt('a:1'), '', 7)).toBe('a:7');
    expect(topology.resolveAddress(topology.nodeAt('b:1'), 'c', 7)).toBe('c:7');
  });
});
