import type { Hold, LockService } from '../../lib/index.js';
import { LockLostError } from '../../lib/standalone.js';
import { holdersChannel, keyspaceChannel, limitPermits } from '../../lib/keys/redisson-keys.js';
import { asUser, KEY_RULES, PREFIX, RULES, userWith } from '../probe/documented-acl.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import type { Client, ClientOptions } from '../kit/client.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { LOCKS } from '../topologies/every-kind.js';

/** How long code has its signal before the process listens, ms. */
const LISTENS_AFTER = 100;
const SILENT = { log: () => {}, warn: () => {}, error: () => {} };
const redis = new RedisWorld(['--notify-keyspace-events', 'Kgx']);

/** Keys that are deleted by hand, by a peer or by their time to live, on a server that tells of it. */
inWorld(redis, ({ time }) => {
  afterEach(() => redis.admin.config('SET', 'notify-keyspace-events', 'Kgx'));

  /** A client that knows its server, as after the start of an application. */
  const open = async (options?: ClientOptions, connection?: string): Promise<Client> => {
    const client = await redis.open(options, connection);
    await client.runtime.probe.run(SILENT);
    return client;
  };

  const subscribed = async (channel: string): Promise<void> => {
    await time.until(async () => (await redis.probe.subscribers(channel)) > 0, LISTENS_AFTER + time.slack);
    // The question that follows the subscription.
    await time.pass(20);
  };
  const listening = (key: string, database = 0): Promise<void> => subscribed(keyspaceChannel(database, key));

  /** A hold whose code has its signal. */
  const watched = async (acquiring: Promise<Hold>): Promise<Hold> => {
    const hold = await acquiring;
    expect(hold.signal.aborted).toBe(false);
    return hold;
  };

  /** Resolves with the reason why the signal of a hold aborts at once. */
  const told = async ({ signal }: Hold): Promise<unknown> => {
    await time.until(() => signal.aborted, time.slack);
    return signal.reason;
  };

  const keysListenedTo = async (): Promise<readonly string[]> =>
    (await redis.probe.channels()).filter((channel) => channel.startsWith('__keyspace'));

  describe('A deleted key', () => {
    type Row = readonly [kind: string, acquire: (locks: LockService) => Promise<Hold>, key: string];
    const kinds: readonly Row[] = [
      ...LOCKS.map(([kind, lockOf]): Row => [kind, (locks) => lockOf(locks, 'n').acquire(), 'n']),
      ['limit', (locks) => locks.acquire('n', { limit: 2 }), limitPermits('n')],
      ['with an owner', (locks) => locks.acquire('n', { owner: 'anna', lease: '2m' }), 'n'],
      ['with a lease', (locks) => locks.acquire('n', { lease: '2m' }), 'n'],
      ['name in braces', (locks) => locks.acquire('{n}'), '{n}'],
    ];

    it.each(kinds)('aborts the signal of its hold at once: %s', async (_, acquire, key) => {
      const { locks } = await open();
      const hold = await watched(acquire(locks));
      await listening(key);
      expect(hold.signal.aborted).toBe(false);
      await redis.admin.del(key);
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
    });

    const JAVA_FORCE_UNLOCK = `if (redis.call('del', KEYS[1]) == 1) then redis.call('publish', KEYS[2], ARGV[1]); return 1 else return 0 end`;
    it.each<[string, () => Promise<unknown>]>([
      ['by UNLINK', () => redis.admin.unlink('n')],
      ['by RENAME', () => redis.admin.rename('n', 'm')],
      ['by its time to live', () => redis.admin.pexpire('n', 1)],
      ['by forceUnlock in Java', () => redis.admin.eval(JAVA_FORCE_UNLOCK, 2, 'n', 'redisson_lock__channel:{n}', '0')],
    ])('is told of, %s', async (_, end) => {
      const { locks } = await open();
      const hold = await watched(locks.acquire('n'));
      await listening('n');
      await end();
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    it('is told of under a prefix', async () => {
      const { locks } = await open({ keyPrefix: 'lock:' });
      const hold = await watched(locks.acquire('n'));
      await listening('lock:n');
      await redis.admin.del('lock:n');
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    it('is told of in the database of the lock, and in no other', async () => {
      const url = `${redis.server.url}/3`;
      const there = connectAdmin(url);
      redis.onReset(async () => there.disconnect());
      const { locks } = await open({}, url);
      const hold = await watched(locks.acquire('n'));
      await listening('n', 3);
      const before = await redis.probe.commands();
      await redis.admin.multi().set('n', 'text').del('n').exec();
      await time.pass(50);
      await expect(redis.probe.commands()).resolves.toBe(before);
      await there.del('n');
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    it('is told of by the next connection as well', async () => {
      const { locks } = await open();
      const hold = await watched(locks.acquire('n'));
      await listening('n');
      await redis.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await time.until(async () => (await redis.probe.subscribers(keyspaceChannel(0, 'n'))) > 0, 2000);
      await redis.admin.del('n');
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    it('is told of beside a RedLock, whose nodes tell of none', async () => {
      const nodes = await Promise.all([1, 2, 3].map(() => RedisServer.start()));
      for (const node of nodes) redis.onReset(() => node.stop());
      const { locks } = await open({ redLock: { nodes: nodes.map(({ url }) => url) } });
      const hold = await watched(locks.acquire('n'));
      await watched(locks.getRedLock('voted').acquire());
      await listening('n');
      await expect(keysListenedTo()).resolves.toEqual([keyspaceChannel(0, 'n')]);
      await redis.admin.del('n');
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    it('is told of as a take-over where a newer caller has deleted it', async () => {
      const [here, there] = [await open(), await open()];
      const begin = ({ locks }: Client): Promise<Hold> =>
        new Promise((begun, fail) => {
          const work = (hold: Hold): Promise<void> => {
            begun(hold);
            return new Promise((end) => {
              hold.signal.addEventListener('abort', () => end(), { once: true });
            });
          };
          locks.withLock('n', { onConflict: 'replace' }, work).catch(fail);
        });
      let held = await begin(here);
      for (const client of [here, there, here]) {
        const newer = await begin(client);
        await expect(told(held)).resolves.toMatchObject({ isReplaced: true });
        expect(newer.signal.aborted).toBe(false);
        held = newer;
      }
      await redis.admin.del('n');
      await expect(told(held)).resolves.toMatchObject({ isReplaced: false });
    });
  });

  describe('A server that does not tell of deleted keys', () => {
    it.each(['', 'Eg', 'E$x', 'Kx', 'K$lshzt'])('is not asked to, with %p', async (classes) => {
      await redis.admin.config('SET', 'notify-keyspace-events', classes);
      const { locks } = await open();
      await watched(locks.acquire('n'));
      await subscribed(holdersChannel('n'));
      await expect(keysListenedTo()).resolves.toEqual([]);
    });

    it.each(['Kg', 'KA', 'AKE'])('unlike one with %p', async (classes) => {
      await redis.admin.config('SET', 'notify-keyspace-events', classes);
      const { locks } = await open();
      const hold = await watched(locks.acquire('n'));
      await listening('n');
      await redis.admin.del('n');
      await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    it('leaves it to the next renewal, and so does one that is not known', async () => {
      const RENEWED = 3000;
      await redis.admin.config('SET', 'notify-keyspace-events', '');
      const { locks } = await open({ renewedLease: RENEWED });
      await redis.admin.config('SET', 'notify-keyspace-events', 'Kgx');
      const unknown = await redis.open({ renewedLease: RENEWED });
      const holds = [await watched(locks.acquire('a')), await watched(unknown.locks.acquire('b'))];
      await Promise.all(['a', 'b'].map((name) => subscribed(holdersChannel(name))));
      await redis.renewed('a', 'b');
      await redis.admin.del('a', 'b');
      await time.pass(3 * LISTENS_AFTER);
      expect(holds.map(({ signal }) => signal.aborted)).toEqual([false, false]);
      await time.until(() => holds.every(({ signal }) => signal.aborted), RENEWED / 3 + time.slack);
    });
  });

  describe('A user with few rights', () => {
    it('is told of deleted keys if it has the documented ones', async () => {
      await redis.admin.call('ACL', 'SETUSER', ...userWith([...RULES, ...KEY_RULES]));
      const { locks } = await open({ keyPrefix: PREFIX }, asUser(redis.server.url));
      const holds = [await watched(locks.acquire('n')), await watched(locks.acquire('n', { limit: 1 }))];
      const keys = [`${PREFIX}n`, limitPermits(`${PREFIX}n`)];
      for (const key of keys) await listening(key);
      await redis.admin.del(...keys);
      for (const hold of holds) await expect(told(hold)).resolves.toBeInstanceOf(LockLostError);
    });

    const denials = async (): Promise<number> => {
      const entries = (await redis.admin.call('ACL', 'LOG')) as readonly (readonly unknown[])[];
      const field = (entry: readonly unknown[], name: string): string => String(entry[entry.indexOf(name) + 1]);
      const ofKeys = entries.filter((entry) => field(entry, 'object').startsWith('__keyspace'));
      return ofKeys.reduce((sum, entry) => sum + Number(field(entry, 'count')), 0);
    };

    it('is denied the channel of one key, and hears of other ends and of releases', async () => {
      await redis.admin.call('ACL', 'SETUSER', ...userWith(['~*', 'resetchannels', '&redisson_*', '+@all']));
      await redis.admin.call('ACL', 'LOG', 'RESET');
      const [client, other] = [await open({}, asUser(redis.server.url)), await open()];
      await other.locks.acquire('busy', { lease: '1m' });
      const first = await watched(client.locks.acquire('first'));
      const waiting = client.locks.acquire('busy', { wait: '20s' });
      await subscribed(holdersChannel('first'));
      const denied = await denials();
      // Beside the other channel, and alone.
      expect(denied).toBe(2);
      const second = await watched(client.locks.acquire('second'));
      await subscribed(holdersChannel('second'));
      await expect(denials()).resolves.toBe(denied);
      await expect(keysListenedTo()).resolves.toEqual([]);
      for (const { name } of [first, second]) await other.locks.getLock(name).forceRelease();
      await expect(told(first)).resolves.toBeInstanceOf(LockLostError);
      await expect(told(second)).resolves.toBeInstanceOf(LockLostError);
      await other.locks.getLock('busy').forceRelease();
      await time.finish(waiting, time.slack);
      expect(client.events.filter(({ type }) => type === 'unexpected')).toEqual([]);
    });
  });

  describe('A key that its holder deletes by itself', () => {
    type Scenario = (one: Client, other: Client) => Promise<unknown>;
    const listens = (): Promise<void> => subscribed(holdersChannel('n'));
    const released =
      (acquire: (locks: LockService) => Promise<Hold>): Scenario =>
      async ({ locks }) => {
        const hold = await watched(acquire(locks));
        await listens();
        await hold.release();
      };
    const scenarios: Readonly<Record<string, Scenario>> = {
      ...Object.fromEntries(LOCKS.map(([kind, lockOf]) => [kind, released((locks) => lockOf(locks, 'n').acquire())])),
      limit: released((locks) => locks.acquire('n', { limit: 1 })),
      'two readers, one after the other': async ({ locks }) => {
        const first = await watched(locks.acquire('n', { mode: 'read' }));
        await listens();
        const second = await watched(locks.acquire('n', { mode: 'read' }));
        const before = await redis.probe.commands();
        await time.until(async () => (await redis.probe.commands()) > before, LISTENS_AFTER + time.slack);
        await first.release();
        await second.release();
      },
      'passed on to another process': async (one, other) => {
        const hold = await watched(one.locks.acquire('n'));
        await listens();
        const waiting = other.locks.acquire('n', { wait: '20s' });
        await time.until(async () => (await redis.probe.waitingClients('n')) > 0, 2000);
        await hold.release();
        await (await waiting).release();
      },
      'taken over one after the other': async ({ locks }) => {
        for (let round = 0; round < 3; round++) {
          await locks.withLock('n', { onConflict: 'replace' }, ({ signal }) => signal.aborted);
        }
      },
    };

    const commandsOf = async (classes: string, scenario: Scenario): Promise<number> => {
      await redis.admin.config('SET', 'notify-keyspace-events', classes);
      const clients = [await open(), await open()] as const;
      const before = await redis.probe.commands();
      await scenario(...clients);
      await time.pass(50);
      return (await redis.probe.commands()) - before;
    };

    it.each(Object.entries(scenarios))('is no reason to ask the server: %s', async (_, scenario) => {
      const without = await commandsOf('', scenario);
      await expect(commandsOf('KA', scenario)).resolves.toBe(without);
    });
  });
});
