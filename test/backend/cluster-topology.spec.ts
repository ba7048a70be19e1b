import { ClusterTopology } from '../../lib/backend/cluster/cluster-topology.js';
import { replyError, ScriptedCluster, type Shard } from './scripted-cluster.js';

const TIMEOUT = 1000;
const THREE: readonly Shard[] = [['a:1'], ['b:1'], ['c:1']];
/** The same slots, with their masters in reverse order. */
const SWAPPED: readonly Shard[] = [['c:1'], ['b:1'], ['a:1']];
const SLOTS = 'CLUSTER SLOTS';

const openTopology = (shards: readonly Shard[] = THREE) => {
  const cluster = new ScriptedCluster(shards);
  const { clock, scheduler } = cluster;
  const seeds = shards.flatMap(([master = '']) => master);
  const topology = new ClusterTopology(cluster.servers(seeds), { commandTimeout: TIMEOUT }, scheduler);
  /** The number of requests for the slot map to each master. */
  const looks = (): number[] => seeds.map((address) => cluster.at(address).count(SLOTS));
  const look = async (): Promise<void> => {
    topology.refreshSoon();
    await clock.advance(100);
  };
  /** The master of the first third of the slots, according to the topology. */
  const first = (): string | undefined => topology.masterOf(cluster.nameIn(0));
  return { cluster, clock, topology, seeds, looks, look, first };
};

describe('A refresh of the slot map', () => {
  it('begins at once, and only once for many requests', async () => {
    const { clock, topology, looks } = openTopology();
    for (let asked = 0; asked < 3; asked += 1) topology.refreshSoon();
    expect(looks()).toEqual([0, 0, 0]);
    await clock.advance(0);
    expect(looks()).toEqual([1, 1, 1]);
    await clock.advance(10_000);
    expect(looks()).toEqual([1, 1, 1]);
  });

  it.each([
    { since: 0, pause: 100 },
    { since: 30, pause: 70 },
    { since: 99, pause: 1 },
    { since: 100, pause: 0 },
    { since: 5000, pause: 0 },
  ])('requested $since ms after the last begins $pause ms later', async ({ since, pause }) => {
    const { cluster, clock, topology, looks } = openTopology();
    const held = THREE.map(([master = '']) => cluster.at(master).holdBack(SLOTS));
    topology.refreshSoon();
    await clock.advance(800);
    for (const [master = ''] of THREE) cluster.at(master).answer(SLOTS, () => cluster.slots());
    // The time counts from the end of the last refresh, not from its beginning.
    for (const [one] of held) one?.resolve(cluster.slots());
    await clock.advance(since);
    topology.refreshSoon();
    if (pause > 0) await clock.advance(pause - 1);
    expect(looks()).toEqual([1, 1, 1]);
    await clock.advance(Math.min(1, pause));
    expect(looks()).toEqual([2, 2, 2]);
  });

  it('asks three servers at once, and the others when those have failed', async () => {
    const { cluster, clock, topology, seeds, looks } = openTopology([['a:1'], ['b:1'], ['c:1'], ['d:1'], ['e:1']]);
    const held = seeds.map((address) => cluster.at(address).holdBack(SLOTS));
    const sum = (): number => looks().reduce((all, one) => all + one, 0);
    topology.refreshSoon();
    await clock.advance(0);
    expect(sum()).toBe(3);
    const failing = held.flat();
    for (const one of failing.slice(0, 2)) one.reject(replyError('LOADING'));
    await clock.advance(0);
    expect(sum()).toBe(3);
    failing[2]?.reject(replyError('LOADING'));
    await clock.advance(0);
    expect(looks()).toEqual([1, 1, 1, 1, 1]);
    for (const one of held.flat()) if (!failing.includes(one)) one.resolve(cluster.slots());
    await clock.advance(0);
    expect(topology.isKnown).toBe(true);
  });

  it('asks servers that are connected before others', async () => {
    const { cluster, look, looks } = openTopology([
      ['a:1', 'a2:1'],
      ['b:1', 'b2:1'],
      ['c:1', 'c2:1'],
    ]);
    for (let round = 0; round < 5; round += 1) {
      await look();
      // A topology connects to a master as soon as it sends a command to it.
      expect(looks()).toEqual([round + 1, round + 1, round + 1]);
    }
    expect(['a2:1', 'b2:1', 'c2:1'].map((address) => cluster.at(address).log)).toEqual([[], [], []]);
  });
});

describe('The slot map of a cluster', () => {
  /** Replies of a server to CLUSTER SLOTS and CLUSTER INFO. */
  const REPLIES = {
    truth: (cluster: ScriptedCluster) => [cluster.slots(THREE), 'cluster_state:ok'],
    other: (cluster: ScriptedCluster) => [cluster.slots(SWAPPED), 'cluster_state:ok'],
    unhealthy: (cluster: ScriptedCluster) => [cluster.slots(SWAPPED), 'cluster_state:fail'],
    forbidden: (cluster: ScriptedCluster) => [cluster.slots(SWAPPED), replyError('NOPERM no info')],
    loading: (cluster: ScriptedCluster) => [cluster.slots(SWAPPED), replyError('LOADING')],
    empty: () => [[], 'cluster_state:ok'],
    error: () => [replyError('LOADING'), 'cluster_state:ok'],
    nothing: () => [undefined, undefined],
  } as const;
  type Reply = keyof typeof REPLIES;

  /** Holds all replies back. Returns a function that makes the servers give these replies, one after the other. */
  const holdReplies = ({ cluster, clock, seeds }: ReturnType<typeof openTopology>) => {
    const commands = [SLOTS, 'CLUSTER INFO'];
    const held = seeds.map((address) => commands.map((command) => cluster.at(address).holdBack(command)));
    return async (says: readonly Reply[]): Promise<void> => {
      for (const [index, say] of says.entries()) {
        for (const [which, value] of REPLIES[say](cluster).entries()) {
          const one = held[index]?.[which]?.at(-1);
          if (value instanceof Error) one?.reject(value);
          else if (value !== undefined) one?.resolve(value);
        }
        await clock.advance(0);
      }
    };
  };

  it.each<{ says: readonly Reply[]; unknown: string | undefined; known: string }>([
    { says: ['truth'], unknown: 'a:1', known: 'a:1' },
    { says: ['other'], unknown: 'c:1', known: 'c:1' },
    // The first reply counts. Later replies of slower servers do not.
    { says: ['truth', 'other', 'other'], unknown: 'a:1', known: 'a:1' },
    { says: ['other', 'truth', 'truth'], unknown: 'c:1', known: 'c:1' },
    { says: ['error', 'other'], unknown: 'c:1', known: 'c:1' },
    { says: ['empty', 'other'], unknown: 'c:1', known: 'c:1' },
    { says: ['loading', 'truth'], unknown: 'a:1', known: 'a:1' },
    { says: ['forbidden', 'truth'], unknown: 'c:1', known: 'c:1' },
    { says: ['unhealthy', 'truth'], unknown: 'a:1', known: 'a:1' },
    { says: ['unhealthy', 'error', 'truth'], unknown: 'a:1', known: 'a:1' },
    // An unhealthy server is believed only by a client without a map, and only when all servers have replied.
    { says: ['unhealthy', 'error', 'error'], unknown: 'c:1', known: 'a:1' },
    { says: ['unhealthy', 'error', 'nothing'], unknown: undefined, known: 'a:1' },
    { says: ['unhealthy', 'unhealthy', 'unhealthy'], unknown: 'c:1', known: 'a:1' },
    { says: ['error', 'empty', 'loading'], unknown: undefined, known: 'a:1' },
  ])('is taken from servers that reply, in this order, $says', async ({ says, unknown, known }) => {
    const fresh = openTopology();
    const reply = holdReplies(fresh);
    fresh.topology.refreshSoon();
    await fresh.clock.advance(0);
    await reply(says);
    expect(fresh.first()).toBe(unknown);

    const knowing = openTopology();
    await knowing.look();
    const replyAgain = holdReplies(knowing);
    await knowing.look();
    await replyAgain(says);
    expect(knowing.first()).toBe(known);
  });

  it.each<{ says: Reply; error: string }>([
    { says: 'empty', error: 'returned no slot map' },
    { says: 'error', error: 'LOADING' },
    { says: 'nothing', error: 'Redis did not answer within 1000 ms' },
  ])('is requested again 500 ms later if all servers reply $says', async ({ says, error }) => {
    const bench = openTopology();
    const { clock, topology, looks } = bench;
    const reply = holdReplies(bench);
    topology.refreshSoon();
    await clock.advance(0);
    await reply([says, says, says]);
    await clock.advance(says === 'nothing' ? TIMEOUT : 0);
    expect(String(topology.lastError)).toContain(error);
    await clock.advance(499);
    expect(looks()).toEqual([1, 1, 1]);
    await clock.advance(1);
    // A connection on which a command is not answered for 1.5 s is made again.
    expect(looks()).toEqual(says === 'nothing' ? [1, 1, 1] : [2, 2, 2]);
    await clock.advance(100);
    expect(looks()).toEqual([2, 2, 2]);
    await reply(['truth', 'truth', 'truth']);
    expect(topology.lastError).toBeUndefined();
    await clock.advance(10_000);
    expect(looks()).toEqual([2, 2, 2]);
  });
});
