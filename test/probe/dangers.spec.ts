import { dangersOf, doubtsAbout, type Expectations, summaryOf } from '../../lib/backend/probe/findings.js';
import { factsOf, type ServerReport } from '../../lib/backend/probe/inspect-server.js';
import { probeNames } from '../../lib/backend/probe/probe-names.js';

/** The report of a server that gives no facts and denies no right. */
const seen = (facts: Partial<ServerReport> = {}): ServerReport => ({
  ...factsOf('a:1', ''),
  fsync: undefined,
  lacks: { rules: [], commands: [] },
  isNameAllowed: true,
  scriptsToLoad: [],
  refusesWrites: undefined,
  untold: [],
  names: probeNames(''),
  publish: 'PUBLISH',
  hearsMessages: true,
  tellsDeletions: undefined,
  ...facts,
});

const alone: Expectations = { isCluster: false, minReplicas: 0, needsDisk: false, otherNodes: [] };

describe('Locks could not be trusted', () => {
  it.each<[reason: string, facts: Partial<ServerReport>, expected?: Partial<Expectations>]>([
    ['maxmemory-policy volatile-ttl', { memoryLimit: 1, evictionPolicy: 'volatile-ttl' }],
    ['maxmemory-policy allkeys-lru', { memoryLimit: 1, evictionPolicy: 'allkeys-lru' }],
    ['a replica of b:2, and accepts no writes', { role: 'replica', master: 'b:2' }],
    [
      'a replica of b:2, another of the nodes',
      { role: 'replica', master: 'b:2' },
      { otherNodes: [seen({ address: 'b:2' })] },
    ],
    ['the same server as b:2', { runId: 'x' }, { otherNodes: [seen({ address: 'b:2', runId: 'x' })] }],
    ['it is part of a cluster', { isClusterNode: true }],
    ['it is not part of a cluster', { isClusterNode: false }, { isCluster: true }],
    ['versions before 6.2 are not tested', { level: [6, 0] }],
    ['versions before 6.2 are not tested', { level: [5, 4] }],
    ['lacks the rights +hget +set', { lacks: { rules: ['+hget', '+set'], commands: [] } }],
    ['it does not know SPUBLISH', { lacks: { rules: [], commands: ['SPUBLISH'] } }],
  ])('%s', (reason, facts, expected = {}) => {
    const dangers = dangersOf(seen(facts), { ...alone, ...expected });
    expect(dangers).toEqual([
      {
        where: 'a:1',
        reason: expect.stringContaining(reason),
        remedy: expect.any(String),
        isUsable: expect.any(Boolean),
      },
    ]);
  });

  it('D54: only those with which locks work all the same are worth a warning only', () => {
    const dangers: readonly [Partial<ServerReport>, boolean][] = [
      [{ memoryLimit: 1, evictionPolicy: 'allkeys-lru' }, true],
      [{ level: [6, 0] }, true],
      [{ role: 'replica' }, false],
      [{ isSentinel: true }, false],
      [{ isClusterNode: true }, false],
      [{ lacks: { rules: ['+hget'], commands: [] } }, false],
      [{ lacks: { rules: [], commands: ['TIME'] } }, false],
    ];
    for (const [facts, isUsable] of dangers) expect(dangersOf(seen(facts), alone)).toMatchObject([{ isUsable }]);
  });

  it('D54: a Sentinel is called one, whatever it lacks', () => {
    const facts = { isSentinel: true, isClusterNode: false, lacks: { rules: ['+get'], commands: ['TIME', 'EVAL'] } };
    for (const isCluster of [false, true]) {
      expect(dangersOf(seen(facts), { ...alone, isCluster })).toMatchObject([
        { reason: 'it is a Sentinel, which stores nothing', remedy: expect.stringContaining('{ sentinels: [') },
      ]);
    }
  });

  it('names what to do about a server without WAITAOF', () => {
    const [danger] = dangersOf(seen({ lacks: { rules: [], commands: ['WAITAOF'] } }), { ...alone, needsDisk: true });
    expect(danger?.remedy).toBe('use Redis 7.2 or newer, or Valkey, or leave out replicas.aof');
  });

  it.each<[what: string, facts: Partial<ServerReport>, expected?: Partial<Expectations>]>([
    ['locks are on disk', { appendsToFile: true }, { minReplicas: 1, needsDisk: true }],
    ['nothing is known', {}],
    ['nothing is known of one of a cluster', {}, { isCluster: true }],
    ['there is no memory limit', { memoryLimit: 0, evictionPolicy: 'allkeys-lru' }],
    ['the memory limit is unknown', { evictionPolicy: 'allkeys-lru' }],
    ['nothing is evicted', { memoryLimit: 1, evictionPolicy: 'noeviction' }],
    ['it is 6.2', { level: [6, 2] }],
    ['it is 10.0', { level: [10, 0] }],
    ['run ids are unknown', {}, { otherNodes: [seen({ address: 'b:2' })] }],
    ['messages do not arrive', { hearsMessages: false }],
  ])('are trusted although %s', (_, facts, expected = {}) => {
    expect(dangersOf(seen(facts), { ...alone, ...expected })).toEqual([]);
  });
});

describe('A doubt of the probe', () => {
  it.each<[doubt: string, facts: Partial<ServerReport>, expected?: Partial<Expectations>]>([
    ['2 replica(s) must have each lock and 1 follow(s) it now', { replicas: 1 }, { minReplicas: 2 }],
    [
      'locks must be on disk (replicas.aof) and appendonly is off',
      { replicas: 1, appendsToFile: false },
      { minReplicas: 1, needsDisk: true },
    ],
    ['its user may not use nest-redis-lock:probe (~*)', { isNameAllowed: false }],
    ['it refuses writes now (NOREPLICAS): no lock is granted until as many', { refusesWrites: 'NOREPLICAS' }],
    ['it refuses writes now (OOM): no lock is granted until it uses less memory', { refusesWrites: 'OOM' }],
    ['messages do not arrive', { hearsMessages: false }],
    ['KeyDB is not tested', { kind: 'KeyDB' }],
  ])('%s', (doubt, facts, expected = {}) => {
    const doubts = doubtsAbout(seen(facts), { ...alone, ...expected });
    expect(doubts).toEqual([expect.stringContaining(doubt)]);
  });
});

describe('The summary of the probe', () => {
  const precautions = { minReplicas: 0, restartGuard: 0 };

  it('reports unknown facts as unknown', () => {
    expect(summaryOf('somewhere', [seen({ hearsMessages: undefined, untold: ['+info'] })], precautions)).toBe(
      'Redis of unknown version, somewhere: locks exclude each other as long as their server keeps its data; persistence unknown; replicas unknown; no restart guard; eviction unknown; messages by PUBLISH, not tested; all rights except +info',
    );
  });

  it('lists different facts of several servers', () => {
    const servers = [
      seen({ version: '7.0.15', appendsToFile: true, fsync: 'always', replicas: 1 }),
      seen({ version: '7.2.0', appendsToFile: true, fsync: 'everysec', replicas: 1 }),
    ];
    const line = summaryOf('cluster of 2 master(s)', servers, { minReplicas: 1, restartGuard: 30_000 });
    expect(line).toContain('Redis 7.0.15 / Redis 7.2.0, cluster of 2 master(s)');
    expect(line).toContain('no lock (AOF, always) / a crash may lose the latest locks (AOF, everysec);');
    expect(line).toContain('a fail-over to one of 1 replica(s) may lose the latest locks, unless 1 of them have them;');
    expect(line).toContain('restart guard of 30000 ms;');
  });
});
