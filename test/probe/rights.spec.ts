import type { Redis } from 'ioredis';
import { lockScripts } from '../../lib/backend/scripts/all-scripts.js';
import { type Findings, probeConnection, type ProbeSettings } from '../../lib/backend/probe/probe.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { itWith, WITHOUT_WAITAOF } from '../servers/redis/server-features.js';
import { until } from '../kit/until.js';
import {
  asUser,
  DATABASE_RULES,
  DISK_RULES,
  grantsIn,
  KEY_RULES,
  PREFIX,
  REPLICA_RULES,
  RULES,
  userWith,
} from './documented-acl.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

const scheduler = new MonotonicScheduler(systemScheduler, (error) => {
  throw error;
});
const settings: ProbeSettings = {
  keyPrefix: PREFIX,
  isPrefixChosen: true,
  shardedPubSub: 'auto',
  minReplicas: 0,
  needsDisk: false,
  restartGuard: 0,
};
const terms = { commandTimeout: 2000, scheduler, signal: new AbortController().signal };

let server: RedisServer;
let admin: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  admin = connectAdmin(server.url);
});

beforeEach(async () => {
  await admin.script('FLUSH');
  await admin.flushall();
});

afterEach(async () => {
  // The probe leaves nothing behind, even with few rights.
  await until(async () => (await admin.keys('*')).length === 0, 1500, 'nothing is left');
});

afterAll(async () => {
  admin.disconnect();
  await server.stop();
});

const probeAs = async (rules: readonly string[], more: Partial<ProbeSettings> = {}, url = ''): Promise<Findings> => {
  await admin.call('ACL', 'SETUSER', ...userWith(rules));
  return probeConnection(serverTarget(asUser(server.url) + url), { ...settings, ...more }, terms);
};

const rightsIn = ({ dangers }: Pick<Findings, 'dangers'>): readonly string[] =>
  dangers.flatMap(({ reason }) => /lacks the rights (.*)$/.exec(reason)?.[1]?.split(' ') ?? []);

const without = (rules: readonly string[], removed: string): readonly string[] =>
  rules.filter((rule) => rule !== removed);

describe('The commands that the probe tries in scripts', () => {
  it('F40 are those that scripts use, no more and no fewer', async () => {
    const ours = lockScripts.filter(({ name }) => name !== 'probe/rights');
    const used = ours.flatMap(({ text }) =>
      [...text.matchAll(/redis\.p?call\('([A-Z]+)'/g)].map(([, command = '']) => command),
    );
    const { dangers } = await probeAs(['~*', '&*', '+eval', '+evalsha', '+ping', '+time', '+info', '+publish']);
    const tried = rightsIn({ dangers });
    const expected = [...new Set(used)].filter((command) => command !== 'TIME').map((name) => `+${name.toLowerCase()}`);
    expect(tried.filter((right) => !/subscribe$/.test(right)).toSorted()).toEqual(expected.toSorted());
    // All other commands are called by name.
    const computed = ours.flatMap(({ text }) => text.match(/redis\.p?call\((?!')\w+/g) ?? []);
    expect(new Set(computed)).toEqual(new Set(['redis.pcall(publish']));
  });
});

describe('F40 A user with the documented rights, and nothing more', () => {
  it('passes the probe', async () => {
    const findings = await probeAs(RULES);
    expect(findings).toMatchObject({ dangers: [], doubts: [] });
    expect(findings.summary).toMatch(/messages by PUBLISH; all rights$/);
  });

  it.each(grantsIn(RULES).filter((rule) => !['+info', `~${PREFIX}*`].includes(rule)))(
    'lacks %s alone where that is missing',
    async (right) => {
      const findings = await probeAs(without(RULES, right));
      expect(rightsIn(findings)).toEqual([right]);
      expect(findings.dangers).toHaveLength(1);
    },
  );

  it('lacks everything at once where everything is missing', async () => {
    const findings = await probeAs(['+eval', '~*']);
    const all = grantsIn(RULES).filter((rule) => /^[+&]/.test(rule) && !['+eval', '+info'].includes(rule));
    // A user that may not subscribe never comes to unsubscribe. The probe asks for that right all the same.
    expect(rightsIn(findings).toSorted()).toEqual([...all].toSorted());
  });

  it.each([
    ['scripts', ['+get', '~*']],
    ['scripts, but INCR', ['+incr', '+pexpire', '~*']],
    ['scripts and channels, but messages', ['+get', '+publish', '~*']],
    ['any command, with any key and channel', ['~*', '&*']],
    ['any command, key and channel', []],
  ])('D54: lacks everything at once where it may not use %s', async (_, rules) => {
    const lacked = rightsIn(await probeAs(rules));
    const needed = grantsIn(RULES).filter((rule) => !rules.includes(rule) && rule !== '+info');
    const isHad = (rule: string): boolean => rules.includes(`${rule[0]}*`) && !lacked.includes(rule);
    expect(lacked.toSorted()).toEqual(needed.filter((rule) => !isHad(rule)).toSorted());
    // As the remedy says, without patterns where all names are allowed already.
    const granted = lacked.filter((rule) => !rules.includes(`${rule[0]}*`));
    expect((await probeAs([...rules, ...granted])).dangers).toEqual([]);
  });

  it('without +info gets no error, but unknown facts', async () => {
    const findings = await probeAs(without(RULES, '+info'));
    expect(findings.dangers).toEqual([]);
    expect(findings.summary).toContain('persistence unknown; replicas unknown');
    expect(findings.summary).toMatch(/all rights except \+info$/);
  });

  it('lacks +info where there is a restart guard', async () => {
    expect(rightsIn(await probeAs(without(RULES, '+info'), { restartGuard: 1000 }))).toEqual(['+info']);
  });

  it('lacks nothing if it may not use the name of the probe', async () => {
    const findings = await probeAs(RULES.map((rule) => (rule === `~${PREFIX}*` ? `~${PREFIX}order:*` : rule)));
    expect(findings.dangers).toEqual([]);
    expect(findings.doubts).toEqual([expect.stringContaining(`(~${PREFIX}*), so which names it may use is unknown`)]);
  });

  it(`needs ${REPLICA_RULES.join(' ')} for replicas`, async () => {
    expect(rightsIn(await probeAs(RULES, { minReplicas: 1 }))).toEqual(REPLICA_RULES);
    expect(rightsIn(await probeAs([...RULES, ...REPLICA_RULES], { minReplicas: 1 }))).toEqual([]);
  });

  itWith('WAITAOF', `needs ${DISK_RULES.join(' ')} for replicas with files on disk`, async () => {
    const onDisk = { minReplicas: 1, needsDisk: true };
    expect(rightsIn(await probeAs(RULES, onDisk))).toEqual(DISK_RULES);
    const { dangers, doubts } = await probeAs([...RULES, ...DISK_RULES], onDisk);
    expect(dangers).toEqual([]);
    expect(doubts).toContainEqual(expect.stringContaining('appendonly is off: no lock is granted until it is on'));
  });

  it('reports a server without WAITAOF if replicas must have locks on disk', async () => {
    await using old = await RedisServer.start({ args: WITHOUT_WAITAOF });
    const { dangers } = await probeConnection(
      serverTarget(old.url),
      { ...settings, minReplicas: 1, needsDisk: true },
      terms,
    );
    expect(dangers).toEqual([expect.objectContaining({ reason: 'it does not know WAITAOF' })]);
  });

  it(`needs ${DATABASE_RULES.join(' ')} for another database`, async () => {
    expect(rightsIn(await probeAs(RULES, {}, '/3'))).toEqual(DATABASE_RULES);
    expect(rightsIn(await probeAs([...RULES, ...DATABASE_RULES], {}, '/3'))).toEqual([]);
  });
});

describe('F40 A user without +eval', () => {
  const withoutEval = without(RULES, '+eval');

  it('passes where all scripts are loaded', async () => {
    for (const { text } of lockScripts) await admin.script('LOAD', text);
    await expect(probeAs(withoutEval)).resolves.toMatchObject({ dangers: [], doubts: [] });
  });

  it('is told how many are missing', async () => {
    for (const { text } of lockScripts.slice(2)) await admin.script('LOAD', text);
    const { dangers } = await probeAs(withoutEval);
    expect(dangers).toEqual([
      expect.objectContaining({ remedy: expect.stringContaining('or load its scripts (2 are missing)') }),
    ]);
  });

  it('is told of other rights that are missing, too', async () => {
    for (const { text } of lockScripts) await admin.script('LOAD', text);
    expect(rightsIn(await probeAs(without(withoutEval, '+zadd')))).toEqual(['+zadd']);
  });
});

describe('A server that tells of deleted keys', () => {
  beforeAll(() => admin.config('SET', 'notify-keyspace-events', 'Kg'));
  afterAll(() => admin.config('SET', 'notify-keyspace-events', ''));

  it.each<[string, readonly string[], string, number | undefined]>([
    ['is not known to a user that may not read the setting', RULES, '', undefined],
    ['is known to one that may', [...RULES, ...KEY_RULES], '', 0],
    ['is known for the database of the connection', [...RULES, ...KEY_RULES, ...DATABASE_RULES], '/3', 3],
  ])('%s, which lacks nothing', async (_, rules, url, notifiedDatabase) => {
    const findings = await probeAs(rules, {}, url);
    expect(findings).toMatchObject({ dangers: [], doubts: [], notifiedDatabase });
    expect(findings.summary).toMatch(/all rights$/);
  });
});

describe('A server that lacks a command', () => {
  it('is refused, with its name', async () => {
    const renamed = await RedisServer.start({ args: ['--rename-command', 'HINCRBY', ''] });
    try {
      const { dangers } = await probeConnection(serverTarget(renamed.url), settings, terms);
      expect(dangers).toEqual([expect.objectContaining({ reason: 'it does not know HINCRBY' })]);
    } finally {
      await renamed.stop();
    }
  });
});
