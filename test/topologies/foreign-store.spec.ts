import type { RedisLockOptions } from '../../lib/index.js';
import { LockError } from '../../lib/standalone.js';
import type { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import { Requests } from '../context/requests.js';
import { type Client, Clients, openClient } from '../kit/client.js';
import { until } from '../kit/until.js';
import { RedisCluster } from '../servers/cluster/redis-cluster.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { Certificates } from '../servers/redis/certificates.js';
import { RedisServer } from '../servers/redis/redis-server.js';
import { RedisSentinels } from '../servers/sentinel/redis-sentinels.js';
import type { Socket } from 'node:net';
import { chosenDriver } from '../servers/chosen-driver.cjs';
import { itWritesAtOnce } from '../kit/it-writes-at-once.js';

/** Running servers, and what a client needs to use them. */
interface Place {
  readonly options: RedisLockOptions;
  /** Ends all connections, each of which is opened again. */
  readonly cut: () => unknown;
}

type Start = (after: (stop: () => unknown) => void) => Promise<Place>;

const behindProxy = async (after: (stop: () => unknown) => void, args: readonly string[] = []): Promise<FaultProxy> => {
  const server = await RedisServer.start({ args });
  after(() => server.stop());
  const proxy = await FaultProxy.start(server);
  after(() => proxy.close());
  return proxy;
};

const PLACES: readonly (readonly [string, Start])[] = [
  [
    'one server',
    async (after) => {
      const proxy = await behindProxy(after);
      return { options: { connection: proxy.url }, cut: () => proxy.cutAll() };
    },
  ],
  [
    'a server with a replica',
    async (after) => {
      const proxy = await behindProxy(after, ['--repl-diskless-sync-delay', '0']);
      const replica = await RedisServer.start({ args: ['--replicaof', proxy.host, String(proxy.port)] });
      after(() => replica.stop());
      return {
        options: { connection: proxy.url, replicas: { min: 1, timeout: '3s' } },
        cut: () => proxy.cutAll(),
      };
    },
  ],
  [
    'a server with TLS',
    async (after) => {
      const certificates = await Certificates.make();
      after(() => certificates.remove());
      const server = await RedisServer.start({ tls: { certificates } });
      after(() => server.stop());
      const { host, port } = server;
      return { options: { connection: { host, port, tls: certificates.credentials() } }, cut: () => server.restart() };
    },
  ],
  [
    'Sentinels',
    async (after) => {
      const topology = await RedisSentinels.start({ behindProxies: true });
      after(() => topology.stop());
      return {
        options: { connection: { name: topology.name, sentinels: [...topology.sentinels] } },
        cut: () => topology.proxyOf(topology.initialMaster).cutAll(),
      };
    },
  ],
  [
    'a cluster',
    async (after) => {
      const cluster = await RedisCluster.start();
      after(() => cluster.stop());
      return {
        options: { connection: { cluster: cluster.masters.map(({ url }) => url) } },
        cut: () =>
          Promise.all(cluster.masters.map((server) => cluster.admin(server).call('CLIENT', 'KILL', 'TYPE', 'normal'))),
      };
    },
  ],
  [
    'a RedLock',
    async (after) => {
      const proxies = await Promise.all([behindProxy(after), behindProxy(after), behindProxy(after)]);
      const nodes = proxies.map(({ url }) => url);
      const [connection = ''] = nodes;
      return { options: { connection, redLock: { nodes } }, cut: () => proxies.forEach((proxy) => proxy.cutAll()) };
    },
  ],
];

const stops: (() => unknown)[] = [];
const clients = new Clients();
let requests: Requests;
let heardIn: (number | undefined)[];

beforeEach(() => {
  requests = new Requests();
  heardIn = [];
});

afterEach(async () => {
  requests.end();
  await clients.close();
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A client made in a request, which has not connected yet. */
const open = async (options: RedisLockOptions): Promise<Client> => {
  const client = await requests.call(() => clients.add(openClient({ ...options, safetyPoll: '1s' })));
  if (client instanceof LockError) throw client;
  client.locks.onEvent('all', () => heardIn.push(requests.current));
  return client;
};

const lockOf = ({ locks }: Client, isRedLock: boolean) => (isRedLock ? locks.getRedLock('n') : locks.getLock('n'));

/** Waits in one request for what another holds, each call in a request of its own. Errors of an outage do not matter. */
const useLock = async (one: Client, other: Client, isRedLock: boolean): Promise<void> => {
  const held = await requests.call(() => lockOf(other, isRedLock).acquire({ wait: '5s' }));
  const waiting = requests.call(() => lockOf(one, isRedLock).acquire({ wait: '2s' }));
  await until(() => one.runtime.acquirer.contended > 0);
  if (!(held instanceof LockError)) await requests.call(() => held.release());
  const hold = await waiting;
  if (!(hold instanceof LockError)) await requests.call(() => hold.release());
};

it.each(PLACES)(
  'D45: with %s no timer, socket or listener has the store of a request, also after a cut, and none keeps it',
  async (name, start) => {
    const { options, cut } = await start((stop) => stops.push(stop));
    const isRedLock = name === 'a RedLock';
    const [one, other] = [await open(options), await open(options)];
    await requests.call(() => until(async () => !(await lockOf(one, isRedLock).isLocked())));
    await useLock(one, other, isRedLock);
    await cut();
    // The calls that find the connections cut.
    await Promise.all([1, 2, 3].map(() => requests.call(() => lockOf(one, isRedLock).tryAcquire({ lease: '1s' }))));
    await until(async () => !((await requests.call(() => lockOf(one, isRedLock).isLocked())) instanceof LockError));
    await useLock(one, other, isRedLock);
    expect(requests.leaks).toEqual([]);
    expect(heardIn.length).toBeGreaterThan(0);
    expect(heardIn.filter((id) => id !== undefined)).toEqual([]);
    // The timer of a socket of node-redis keeps the last one for as long as it may take to connect.
    const kept = chosenDriver === 'node-redis' ? [] : await requests.kept();
    expect(kept).toEqual([]);
  },
  60_000,
);

for (const part of ['commands', 'pubSub'])
  itWritesAtOnce(`D45: a connection of the ${part} that fails in a call is opened again in no request`, async () => {
    const proxy = await behindProxy((stop) => stops.push(stop));
    const [one, other] = [await open({ connection: proxy.url }), await open({ connection: proxy.url })];
    await useLock(one, other, false);
    const connection = Reflect.get(Reflect.get(one.runtime.backend, part) as object, 'connection') as RedisConnection;
    const { client } = Reflect.get(connection, 'current') as { readonly client: { readonly stream: Socket } };
    // As when a write fails: the socket tells of its end in the context of the call.
    await requests.call(() => client.stream.destroy());
    await until(() => !connection.isReady);
    await until(() => connection.isReady);
    expect(requests.leaks).toEqual([]);
    expect(await requests.kept()).toEqual([]);
  });
