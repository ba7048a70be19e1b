import type { Redis } from 'ioredis';
import { Redis as Client } from 'ioredis';
import type { Hold } from '../../lib/index.js';
import { type ConnectionInput, lockScripts } from '../../lib/advanced.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { Time } from '../kit/time.js';
import { asUser, CLUSTER_RULES, grantsIn, PREFIX, RULES, SENTINEL_RULES, userWith } from '../probe/documented-acl.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { itWith, serverHas } from '../servers/redis/server-features.js';
import { TopologyClients } from './clients.js';
import { LOCKS, useSynchronizers } from './every-kind.js';

const time = Time.real();
/** The time within which a message wakes a waiter. A poll (1 min) or the end of a lease would take longer. */
const AT_ONCE_MS = 1000;
const OPTIONS = { keyPrefix: PREFIX, safetyPoll: '1m' } as const;

/** Runs the start-up probe and resolves with its messages, warnings and errors. */
const probe = async (connection: ConnectionInput): Promise<readonly string[]> => {
  const said: string[] = [];
  const log = (line: string) => said.push(line);
  const runtime = createRuntime(parseModuleOptions({ ...OPTIONS, connection }), systemScheduler);
  try {
    await runtime.probe.run({ log, warn: log, error: log }).catch((error: Error) => said.push(error.message));
    return said;
  } finally {
    await runtime.close(0);
  }
};

const rightsIn = (said: readonly string[]): readonly string[] => [
  ...new Set(said.flatMap((line) => [...line.matchAll(/lacks the rights ([^;]+);/g)].map(([, rules]) => rules ?? ''))),
];

interface Denial {
  readonly reason: string;
  readonly object: string;
}

/** Denials to any user on a server, except for those of optional rights. */
const denials = async (server: Redis): Promise<readonly Denial[]> => {
  const entries = (await server.call('ACL', 'LOG')) as readonly (readonly string[])[];
  const log = entries.map((entry): Denial => {
    const field = (name: string): string => String(entry[entry.indexOf(name) + 1]);
    return { reason: field('reason'), object: field('object') };
  });
  return log.filter(({ object }) => !/^(client|pubsub)\b|^config/.test(object));
};

/** Uses every feature as a user with the documented rights and no more. */
const usesEverything = (
  connection: () => ConnectionInput,
  servers: () => readonly Redis[],
  rules: readonly string[],
): void => {
  const clients = new TopologyClients(connection);

  const allow = async (allowed: readonly string[]): Promise<void> => {
    await Promise.all(servers().map((server) => server.call('ACL', 'SETUSER', ...userWith(allowed))));
  };

  beforeEach(async () => {
    await allow(rules);
    await Promise.all(servers().map((server) => server.acl('LOG', 'RESET')));
  });

  afterEach(async () => {
    await clients.close();
    for (const server of servers()) expect(await denials(server)).toEqual([]);
    for (const server of servers()) await server.flushall();
  });

  it('F40 the start-up probe finds that nothing is missing', async () => {
    const said = await probe(connection());
    expect(said).toEqual([expect.stringMatching(/all rights$/)]);
  });

  it.each(LOCKS)('the %s lock is acquired, awaited, handed over and released', async (kind, lockOf) => {
    const [one, other] = await Promise.all([clients.open(OPTIONS), clients.open(OPTIONS)]);
    const lock = lockOf(one.locks, 'order:7');
    const hold = await lock.acquire();
    await hold.extend('20s');
    // Readers do not wait for each other.
    const rival =
      kind === 'read' ? other.locks.getReadWriteLock('order:7').writeLock() : lockOf(other.locks, 'order:7');
    const waiting = rival.acquire({ wait: '30s' });
    await time.until(() => other.runtime.acquirer.contended > 0, 2000);
    await hold.release();
    const next = await time.finish(waiting, AT_ONCE_MS);
    expect(await rival.forceRelease()).toBe(true);
    expect(await next.release()).toBe('expired');
  });

  it('semaphores and latches are used', async () => {
    const { locks } = await clients.open(OPTIONS);
    await expect(useSynchronizers(locks, 'order:7')).resolves.toBeUndefined();
  });

  it('a deadlock is found, and ends', async () => {
    const [one, other] = await Promise.all([clients.open(OPTIONS), clients.open(OPTIONS)]);
    const [first, second] = [await one.locks.acquire('order:1'), await other.locks.acquire('order:2')];
    const wait = { wait: '1m' } as const;
    const waitUnder = async (hold: Hold, { locks }: typeof one, name: string): Promise<Hold> => {
      try {
        return await hold.run(() => locks.acquire(name, wait));
      } finally {
        await hold.release();
      }
    };
    const waits = [waitUnder(first, one, 'order:2'), waitUnder(second, other, 'order:1')];
    const outcomes = await time.finish(Promise.allSettled(waits), 10_000);
    const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(reasons).toMatchObject([{ code: 'LOCK_DEADLOCK' }]);
    for (const outcome of outcomes) if (outcome.status === 'fulfilled') await outcome.value.release();
  });

  it('without +eval everything works if the scripts are loaded', async () => {
    for (const { text } of lockScripts) await Promise.all(servers().map((server) => server.script('LOAD', text)));
    await allow(rules.filter((rule) => rule !== '+eval'));
    const { locks } = await clients.open(OPTIONS);
    for (const [kind, lockOf] of LOCKS) await lockOf(locks, `order:${kind}`).withLock(() => {});
    await expect(useSynchronizers(locks, 'order:8')).resolves.toBeUndefined();
    for (const server of servers()) {
      // Tried once on each connection.
      const denied = await denials(server);
      expect(denied).toEqual(denied.slice(0, 1).map(() => ({ reason: 'command', object: 'eval' })));
      await server.acl('LOG', 'RESET');
    }
  });

  it('foreign keys are denied', async () => {
    await expect(clients.open({ ...OPTIONS, keyPrefix: 'bank:' })).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      permanent: true,
    });
    await Promise.all(servers().map((server) => server.acl('LOG', 'RESET')));
  });
};

describe('On one server', () => {
  let server: RedisServer;
  let admin: Redis;

  beforeAll(async () => {
    server = await RedisServer.start();
    admin = new Client(server.url);
  });

  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  usesEverything(
    () => asUser(server.url),
    () => [admin],
    RULES,
  );
});

describe('Behind a Sentinel', () => {
  let master: RedisServer;
  let sentinel: RedisServer;
  let admins: readonly Redis[];
  const connection = () => ({
    sentinels: [{ host: sentinel.host, port: sentinel.port }],
    name: 'shop',
    ...{ username: 'locks', password: 'password', sentinelUsername: 'locks', sentinelPassword: 'password' },
  });

  beforeAll(async () => {
    master = await RedisServer.start();
    const config = `sentinel monitor shop ${master.host} ${master.port} 1\n`;
    sentinel = await RedisServer.start({ config, args: ['--sentinel'] });
    admins = [new Client(master.url), new Client(sentinel.url)];
    await admins[1]?.call('ACL', 'SETUSER', ...userWith(SENTINEL_RULES));
  });

  afterAll(async () => {
    for (const admin of admins) admin.disconnect();
    await sentinel.stop();
    await master.stop();
  });

  usesEverything(connection, () => admins.slice(0, 1), RULES);

  it('the Sentinel denied nothing', async () => {
    expect(await Promise.all(admins.slice(1).map((admin) => denials(admin)))).toEqual([[]]);
  });
});

describe('In a cluster', () => {
  const isSharded = (rule: string): boolean => /^\+s(subscribe|unsubscribe|publish)$/.test(rule);
  const isKnown = (rule: string): boolean => serverHas('sharded channels') || !isSharded(rule);
  /** Every documented right that the servers know. */
  const ALL_RULES = [...RULES, ...CLUSTER_RULES].filter(isKnown);
  let cluster: RedisCluster;
  const seeds = () => ({ cluster: cluster.urls.slice(0, 1).map(asUser) });
  const admins = () => cluster.servers.map((server) => cluster.admin(server));

  beforeAll(async () => {
    cluster = await RedisCluster.start();
  });

  afterAll(() => cluster.stop());

  usesEverything(seeds, admins, ALL_RULES);

  for (const right of grantsIn(CLUSTER_RULES).filter((rule) => rule !== '+cluster|info')) {
    const feature = isSharded(right) ? 'sharded channels' : undefined;
    itWith(feature, `F40 ${right} alone is missing where it is`, async () => {
      const rules = ALL_RULES.filter((rule) => rule !== right);
      await Promise.all(admins().map((admin) => admin.call('ACL', 'SETUSER', ...userWith(rules))));
      expect(rightsIn(await probe(seeds()))).toEqual([right]);
      await Promise.all(admins().map((admin) => admin.acl('LOG', 'RESET')));
    });
  }

  it('F40 a right that one master alone lacks is found', async () => {
    const allow = (admin: ReturnType<typeof admins>[number], rules: readonly string[]) =>
      admin.call('ACL', 'SETUSER', ...userWith(rules));
    for (const lacking of admins()) {
      await Promise.all(admins().map((admin) => allow(admin, ALL_RULES)));
      await allow(
        lacking,
        ALL_RULES.filter((rule) => rule !== '+hset'),
      );
      expect(rightsIn(await probe(seeds()))).toEqual(['+hset']);
      await Promise.all(admins().map((admin) => admin.acl('LOG', 'RESET')));
    }
  });

  it('one of its servers is refused as one server', async () => {
    const [first = ''] = cluster.urls;
    await Promise.all(admins().map((admin) => admin.call('ACL', 'SETUSER', ...userWith(RULES))));
    expect((await probe(asUser(first))).join('\n')).toContain('it is part of a cluster; give the cluster');
  });
});
