import { noListener } from '../../lib/backend/backend-listener.js';
import { ClusterTopology } from '../../lib/backend/cluster/cluster-topology.js';
import type { TransportSettings } from '../../lib/backend/connection/target.js';
import type { Script } from '../../lib/backend/scripts/script.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { ScriptedCluster, type Shard } from './scripted-cluster.js';
import { outcomeOf } from './scripted-nodes.js';

const TIMEOUT = 1000;
/** Three connected masters are enough for every refresh: no other server is asked. */
const SHARDS: readonly Shard[] = [['a:1', 'a2:1'], ['b:1'], ['c:1']];
/** The shards after a fail-over of the first one. */
const FAILED_OVER: readonly Shard[] = [['a2:1'], ['b:1'], ['c:1']];
const SEEDS = ['a:1', 'b:1', 'c:1'];
const ALL = [...SEEDS, 'a2:1'];
const SLOTS = 'CLUSTER SLOTS';

interface Options extends Partial<TransportSettings> {
  readonly shards?: readonly Shard[];
}

const openTopology = async ({ shards = SHARDS, ...settings }: Options = {}) => {
  const cluster = new ScriptedCluster(shards);
  const { clock, scheduler } = cluster;
  const topology = new ClusterTopology(cluster.servers(SEEDS), { commandTimeout: TIMEOUT, ...settings }, scheduler);
  const told: string[] = [];
  topology.onRefresh(() => told.push('refreshed'));
  topology.watch({
    ...noListener,
    reconnected: () => told.push('reconnected'),
    unavailable: ({ affects }) => told.push(`out: ${affects}`),
    available: ({ server, after, isReplaced }) => told.push(`${server} ${isReplaced ? 'replaced' : 'back'}: ${after}`),
  });
  const look = async (): Promise<void> => {
    topology.refreshSoon();
    await clock.advance(100);
  };
  const looks = (): number => ALL.reduce((sum, at) => sum + cluster.at(at).count(SLOTS), 0);
  await look();
  told.length = 0;
  const key = cluster.nameIn(0);
  return { cluster, clock, topology, told, look, looks, key, slot: hashSlot(key) };
};

describe('A change of a cluster', () => {
  it.each([
    { to: 'the same', shards: SHARDS, told: ['refreshed'] },
    { to: 'other masters', shards: FAILED_OVER, told: ['refreshed', 'reconnected'] },
    { to: 'other replicas', shards: [['a:1', 'a3:1'], ['b:1'], ['c:1']], told: ['refreshed'] },
    { to: 'a new server', shards: [['a:1'], ['b:1'], ['c:1'], ['d:1']], told: ['refreshed', 'reconnected'] },
    { to: 'one server less', shards: [['a:1'], ['b:1']], told: ['refreshed', 'reconnected'] },
  ])('to $to is reported to listeners: $told', async ({ shards, told: expected }) => {
    const { cluster, told, look } = await openTopology();
    cluster.shards = shards;
    await look();
    expect(told).toEqual(expected);
  });

  it('is followed at once after a redirection', async () => {
    const { cluster, clock, topology, told, looks, key, slot } = await openTopology();
    const before = looks();
    topology.moved(slot, 'b:1');
    expect(topology.masterOf(key)).toBe('b:1');
    expect(looks()).toBe(before);
    await clock.advance(0);
    expect(looks()).toBe(before + 3);
    // The servers that were asked still name the old master.
    expect(topology.masterOf(key)).toBe('a:1');
    expect(told).toEqual(['refreshed', 'reconnected']);
    expect(cluster.errors).toEqual([]);
  });

  const GRANT: Script = { name: 'x', text: '', grants: true, keyNames: [], argumentNames: [], replies: [[]] };

  it.each([
    {
      how: 'a look that finds a replica in the place of its master',
      shards: FAILED_OVER,
      master: 'a2:1',
      guarded: 30_000,
    },
    { how: 'a look that finds the same master', shards: SHARDS, master: 'a:1', guarded: undefined },
    { how: 'a redirection to a replica', to: 'a2:1', shards: FAILED_OVER, master: 'a2:1', guarded: 30_000 },
    { how: 'a redirection to another master', to: 'b:1', shards: SHARDS, master: 'b:1', guarded: undefined },
  ])('guards a server that may lack grants, after $how', async ({ to, shards, master, guarded }) => {
    const { cluster, clock, topology, slot } = await openTopology({ restartGuard: 30_000 });
    cluster.shards = shards;
    if (to === undefined) {
      topology.refreshSoon();
      await clock.advance(0);
    } else topology.moved(slot, to);
    const granting = outcomeOf(topology.nodeAt(master).run(GRANT, {}, {}, clock.now() + TIMEOUT, 'n'));
    await clock.advance(0);
    const details = granting.value instanceof Error && 'details' in granting.value ? granting.value.details : {};
    expect(Object(details)).toEqual(guarded === undefined ? {} : { guardedFor: guarded });
  });
});

describe('A master of a cluster that fails', () => {
  it('causes a refresh at once, and every 500 ms until it is back', async () => {
    const { cluster, clock, told } = await openTopology({ shards: [['a:1'], ['b:1'], ['c:1']] });
    const looks = (): number => cluster.at('b:1').count(SLOTS);
    const start = looks();
    cluster.at('a:1').fail();
    await clock.advance(0);
    const counts = [looks() - start];
    for (let pause = 0; pause < 3; pause += 1) {
      await clock.advance(499);
      counts.push(looks() - start);
      await clock.advance(1);
      counts.push(looks() - start);
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4]);
    cluster.at('a:1').comeBack();
    await clock.advance(10_000);
    // One refresh was due when the server came back.
    expect(looks() - start).toBe(5);
    expect(told.filter((one) => one !== 'refreshed')).toEqual(['out: its-slots', 'a:1 back: 1500', 'reconnected']);
  });

  it('is no longer missing once another serves its slots', async () => {
    const { cluster, clock, told, topology, key } = await openTopology({ shards: [['a:1'], ['b:1'], ['c:1']] });
    cluster.at('a:1').fail();
    await clock.advance(TIMEOUT + 200);
    expect(topology.masterOf(key)).toBe('a:1');
    cluster.shards = FAILED_OVER;
    await clock.advance(10_000);
    expect(topology.masterOf(key)).toBe('a2:1');
    expect(told.filter((one) => one !== 'refreshed')).toEqual(['out: its-slots', 'a:1 replaced: 1500', 'reconnected']);
  });
});

describe('A server that has lost all slots', () => {
  it('is closed after the time of its requests in flight, without waiting for it', async () => {
    const { cluster, clock, topology, look } = await openTopology();
    const node = topology.nodeAt('a:1');
    cluster.shards = FAILED_OVER;
    cluster.at('a:1').fail();
    const waiting = outcomeOf(node.whenConnected(clock.now() + TIMEOUT, 'k'));
    await look();
    expect(waiting).toMatchObject({ state: 'rejected', value: { outcome: 'not-sent' } });
    cluster.at('a:1').comeBack();
    await clock.advance(0);
    const [client] = cluster.at('a:1').open('commands');
    await clock.advance(TIMEOUT - 101);
    expect(client?.status).toBe('ready');
    await clock.advance(1);
    expect(client?.status).toBe('end');
  });

  it('is connected again if it gets slots again, and stays', async () => {
    const { cluster, clock, topology, look } = await openTopology();
    const before = topology.nodeAt('a:1');
    cluster.shards = FAILED_OVER;
    await look();
    cluster.shards = SHARDS;
    await look();
    const node = topology.nodeAt('a:1');
    expect(node).not.toBe(before);
    await node.whenConnected(clock.now() + TIMEOUT);
    await clock.advance(10 * TIMEOUT);
    expect([node.isReady, before.isReady]).toEqual([true, false]);
  });
});

describe('Closing a topology', () => {
  it.each(['at rest', 'before a look', 'during a look', 'when the last reply has come', 'while a master is out'])(
    'leaves nothing behind and calls no listener, %s',
    async (when) => {
      const { cluster, clock, topology, told, looks } = await openTopology();
      const held = ALL.map((address) => cluster.at(address).holdBack(SLOTS));
      if (when !== 'at rest') topology.refreshSoon();
      if (when === 'while a master is out') cluster.at('a:1').fail();
      if (when !== 'before a look') await clock.advance(0);
      if (when === 'when the last reply has come') held[0]?.[0]?.resolve(cluster.slots(FAILED_OVER));
      const before = looks();
      const closing = topology.close();
      for (const one of held.flat()) one.resolve(cluster.slots(FAILED_OVER));
      await clock.advance(0);
      await closing;
      topology.refreshSoon();
      topology.moved(0, 'b:1');
      await clock.advance(10 * TIMEOUT);
      expect(looks()).toBe(before);
      expect(told).toEqual([]);
      expect(ALL.flatMap((address) => cluster.at(address).open('commands'))).toEqual([]);
      expect(clock.pending).toBe(0);
      expect(cluster.errors).toEqual([]);
    },
  );
});
