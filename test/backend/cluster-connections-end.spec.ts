import { ClusterSubscriber } from '../../lib/backend/cluster/cluster-subscriber.js';
import { ClusterTopology } from '../../lib/backend/cluster/cluster-topology.js';
import { writtenHold } from '../../lib/backend/commands/written.js';
import { ScriptedCluster, type Shard } from './scripted-cluster.js';
import { outcomeOf } from './scripted-nodes.js';

const TIMEOUT = 1000;

const openTopology = async (shards: readonly Shard[]) => {
  const cluster = new ScriptedCluster(shards);
  const { clock, scheduler } = cluster;
  const settings = { commandTimeout: TIMEOUT, shardedPubSub: false };
  const topology = new ClusterTopology(cluster.servers(shards.flat()), settings, scheduler);
  const refresh = async (): Promise<void> => {
    topology.refreshSoon();
    await clock.advance(100);
  };
  await refresh();
  return { cluster, clock, scheduler, topology, refresh };
};

describe('A server that serves no slot', () => {
  it('has no connection left once the topology is closed', async () => {
    const { cluster, clock, topology } = await openTopology([['a:1', 'r:1']]);
    expect(cluster.at('r:1').open('commands')).toHaveLength(1);
    const closing = topology.close();
    await clock.advance(0);
    await closing;
    expect(cluster.at('r:1').open('commands')).toEqual([]);
  });
});

describe('A connection that has ended', () => {
  it('is followed by another, and again while the server cannot be reached', async () => {
    const { cluster, clock } = await openTopology([['a:1']]);
    const server = cluster.at('a:1');
    const last = () => server.connections.at(-1);
    server.isUp = false;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const ended = last();
      ended?.drop();
      // An attempt that is not answered is given up, and followed by another after a pause.
      for (let ms = 0; ms < 10_000 && (last() === ended || last()?.status !== 'connecting'); ms += 10)
        await clock.advance(10);
      expect(last()).not.toBe(ended);
      expect(last()?.status).toBe('connecting');
    }
    server.comeBack();
    await clock.advance(0);
    expect(server.open('commands')).toEqual([last()]);
  });
});

describe('A cluster whose connections were closed', () => {
  const FOUR = ['a:1', 'b:1', 'c:1', 'd:1'];

  /** The client asks only three servers for the slot map, so one of the four has no connection yet. */
  const closed = async () => {
    const { cluster, clock, scheduler, topology } = await openTopology(FOUR.map((address) => [address]));
    const subscriber = new ClusterSubscriber(topology, TIMEOUT, scheduler);
    const index = FOUR.findIndex((address) => cluster.at(address).open('commands').length === 0);
    const closing = Promise.all([topology.close(), subscriber.close()]);
    await clock.advance(0);
    await closing;
    const connections = () => FOUR.flatMap((address) => cluster.at(address).connections).filter(isOpen);
    return { clock, topology, subscriber, name: cluster.nameIn(index), connections };
  };
  const isOpen = ({ status }: { readonly status: string }): boolean => !['wait', 'end'].includes(status);

  it('is not connected to for a command that comes later', async () => {
    const { clock, topology, name, connections } = await closed();
    const asked = outcomeOf(topology.nodeFor(name)?.whenConnected(clock.now() + TIMEOUT) ?? Promise.resolve());
    await clock.advance(TIMEOUT);
    expect(asked).toMatchObject({ state: 'rejected', value: { outcome: 'not-sent' } });
    expect(connections()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is not connected to for a subscription that comes later', async () => {
    const { clock, subscriber, name, connections } = await closed();
    const asked = outcomeOf(subscriber.subscribe(name, () => {}));
    await clock.advance(TIMEOUT);
    expect(asked).toMatchObject({ state: 'rejected', value: { outcome: 'not-sent' } });
    expect(connections()).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('is not connected to for a write whose replicas are counted later', async () => {
    const { clock, topology, name, connections } = await closed();
    const counted = topology.nodeFor(name)?.replicasWith(writtenHold(name, 'me:1'), { min: 1, timeout: 100 });
    const outcome = outcomeOf(counted ?? Promise.resolve());
    await clock.advance(TIMEOUT);
    expect(outcome).toMatchObject({ state: 'rejected', value: { outcome: 'not-sent' } });
    expect(connections()).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
