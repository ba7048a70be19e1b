import { setTimeout as sleep } from 'node:timers/promises';
import { scripts } from '../../../lib/backend/scripts/scripts.generated.js';
import { encode } from '../../../lib/backend/scripts/script.js';
import { clientIdOf } from '../../../lib/context/owner-ids.js';
import { clientChannel, lockChannel, waitingClients } from '../../../lib/keys/redisson-keys.js';
import { FaultProxy } from '../../servers/proxy/fault-proxy.js';
import { RedisServer } from '../../servers/redis/redis-server.js';
import { offsetOf } from '../../servers/replication/replication.js';
import type { ChaosCase } from '../case.js';
import { runs } from '../../servers/proxy/commands-seen.js';
import { onlyServer } from '../only-server.js';
import { untilWaiting } from '../waiting-clients.js';

const LONG_MS = 60_000;
const NAME = 'order:1';

/** Servers that forget, or that are replaced, between a release and what its grants lead to. */
export const grantServerCases: readonly ChaosCase[] = [
  {
    id: 'F10h',
    title: 'a release that is repeated on a server which came back from a snapshot passes nothing on under the guard',
    topologies: ['standalone'],
    load: () => [],
    options: { restartGuard: true },
    run: async (chaosRun) => {
      const { admin, proxy, server, url } = onlyServer(chaosRun);
      const network = await FaultProxy.start(server);
      chaosRun.onEnd(() => network.close());
      const holder = chaosRun.open({ connection: network.url });
      // The next holder is cut off from the server, and the last client is not.
      const [next, last] = [chaosRun.open(), chaosRun.open({ connection: url })];
      // A script that the server does not know has no effect.
      await holder.locks.withLock('warm', { wait: 10_000 }, () => {});
      const hold = await holder.locks.acquire(NAME, { wait: 10_000 });
      const granted = next.locks.acquire(NAME, { wait: 20_000 });
      await untilWaiting(chaosRun, admin, NAME, 1);
      const waiting = last.locks.acquire(NAME, { wait: 20_000 });
      const [, owner = ''] = await untilWaiting(chaosRun, admin, NAME, 2);
      await admin.save();
      // It cannot repeat the release before the restart.
      const lost = network.cutAfter(runs(scripts.lock.release)).then(() => network.acceptThenClose());
      const released = hold.release().catch(() => {});
      const present = await granted;
      await lost;
      proxy.acceptThenSilent();
      proxy.blackhole();
      await server.restart();
      const channel = clientChannel(NAME, clientIdOf(owner));
      const listens = async (): Promise<boolean> => Number((await admin.pubsub('NUMSUB', channel))[1]) > 0;
      // Otherwise the release would find no client to pass the lock on to, guard or not.
      await chaosRun.until(listens, 10_000, 'the last client listens again');
      network.heal();
      const second = await waiting;
      chaosRun.expect(present.signal.aborted, 'I1: a repeated release gave the lock to a second holder');
      await second.release();
      await released;
    },
  },
  {
    id: 'F21g',
    title: 'a client that listens to a replica gets the message of a release, but not the lock',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { admin, server } = onlyServer(chaosRun);
      const replica = await RedisServer.start({ args: ['--repl-diskless-sync-delay', '0'] });
      chaosRun.onEnd(() => replica.stop());
      const other = admin.duplicate({ host: replica.host, port: replica.port });
      other.on('error', () => {});
      chaosRun.onEnd(async () => other.disconnect());
      const inStep = (of: typeof admin) => async (): Promise<boolean> =>
        (await of.info('replication')).includes('master_link_status:up');
      await other.replicaof(server.host, server.port);
      await chaosRun.until(inStep(other), 15_000, 'the replica is in step');
      // Its first lease is the whole one: with the message it has all, however long the servers take to change places.
      const commandTimeout = 2000;
      const [holder, waiter] = [chaosRun.open(), chaosRun.open({ commandTimeout })];
      const hold = await holder.locks.acquire(NAME, { lease: LONG_MS });
      const over = new AbortController();
      const waiting = waiter.locks.acquire(NAME, { lease: 3 * commandTimeout, signal: over.signal }).then(
        (held) => held.owner,
        () => undefined,
      );
      await untilWaiting(chaosRun, other, NAME, 1);
      // They change places. The client still listens to the former master.
      await other.replicaof('NO', 'ONE');
      await admin.replicaof(replica.host, replica.port);
      await chaosRun.until(inStep(admin), 15_000, 'the former master follows the other');
      const channel = lockChannel(NAME);
      const args = {
        owner: hold.owner,
        channel,
        publish: 'PUBLISH',
        wake: '',
        waiters: waitingClients(NAME),
        again: '',
        mayGrant: 1,
      };
      const { keyCount, parameters } = encode(scripts.lock.release, { lock: NAME }, args);
      await other.eval(scripts.lock.release.text, keyCount, ...parameters);
      chaosRun.expect((await other.exists(NAME)) === 0, 'the lock was given to a client that the server does not know');
      const released = await offsetOf(other);
      const hasFollowed = async (): Promise<boolean> => (await offsetOf(admin)) >= released;
      await chaosRun.until(hasFollowed, 15_000, 'the former master has published what the release did');
      await Promise.race([waiting, sleep(1000)]);
      over.abort();
      chaosRun.expect((await waiting) === undefined, 'I1: a client holds a lock that is free');
      await admin.replicaof('NO', 'ONE');
      await admin.del(NAME);
    },
  },
];
