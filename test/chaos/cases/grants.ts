import { setTimeout as sleep } from 'node:timers/promises';
import { LockAbortedError, type Hold, type Lock } from '../../../lib/standalone.js';
import type { Script } from '../../../lib/backend/scripts/script.js';
import { scripts } from '../../../lib/backend/scripts/scripts.generated.js';
import { fairQueue } from '../../../lib/keys/redisson-keys.js';
import type { Client } from '../../kit/client.js';
import type { ChaosCase } from '../case.js';
import type { ChaosRun } from '../chaos-run.js';
import { COMMAND_MS, POLL_MS } from '../chaos-run.js';
import { runs } from '../../servers/proxy/commands-seen.js';
import type { Load } from '../load/load.js';
import { onlyServer } from '../only-server.js';
import { masterOf } from '../topologies/master-of.js';
import { holderOf, untilWaiting, waitingOwners } from '../waiting-clients.js';

const LONG_MS = 60_000;
const NAME = 'order:1';

/** A first lease is three command time-outs: here long enough to tell its end from an answer. */
const LONG_COMMAND_MS = 2000;
const patient = { commandTimeout: LONG_COMMAND_MS, safetyPoll: LONG_MS };
/** So short that a first lease is soon over. */
const SHORT_COMMAND_MS = 250;
/** An entry that is older than 100 ms gets a first lease. */
const OLD_MS = 150;
/** Time for a waiter to be served when nothing has to end first. */
const AT_ONCE_MS = 1500;

/** One loop that waits for the lock, with a lease of its own. */
const oneLoop: readonly Load[] = [{ kind: 'plain', names: [NAME], loops: 1, wait: 20_000, hold: 20, lease: LONG_MS }];

/** Expects that this waiter gets the lock within `ms`, and releases it. */
const expectServed = async (chaosRun: ChaosRun, waiting: Promise<Hold>, ms: number, what: string): Promise<void> => {
  const start = performance.now();
  const hold = await waiting.catch(() => undefined);
  const took = performance.now() - start;
  chaosRun.expect(hold !== undefined, `${what}: it was not served`);
  chaosRun.expect(took < ms, `${what}: it took ${Math.round(took)} ms`);
  await hold?.release();
};

/**
 * A client that was given a lock for a first lease holds it for longer, also if the reply that sets the whole one is lost.
 * @param setting The script that sets it.
 */
const wholeLease = (id: string, kind: string, setting: Script, lockOf: (client: Client) => Lock): ChaosCase => ({
  id,
  title: `a ${kind} lock is given for a first lease, and the reply to the request that sets the whole one is lost`,
  topologies: ['standalone'],
  load: () => [],
  options: { commandTimeout: SHORT_COMMAND_MS, safetyPoll: LONG_MS },
  run: async (chaosRun) => {
    const { admin, proxy, url } = onlyServer(chaosRun);
    const [holder, waiter] = [chaosRun.open({ connection: url }), chaosRun.open()];
    for (const isLost of [false, true]) {
      const hold = await lockOf(holder).acquire({ lease: LONG_MS });
      const waiting = lockOf(waiter).acquire({ wait: 20_000, lease: LONG_MS });
      const areWaiting = async (): Promise<boolean> =>
        (await waitingOwners(admin, NAME)).length + (await admin.llen(fairQueue(NAME))) === 1;
      await chaosRun.until(areWaiting, 5000, 'the other client waits');
      await sleep(OLD_MS);
      let isCut = false;
      if (isLost) void proxy.cutAfter(runs(setting)).then(() => (isCut = true));
      await hold.release();
      const next = await waiting;
      const left = await admin.pttl(NAME);
      chaosRun.expect(left > 10 * SHORT_COMMAND_MS, `the caller had the lock for ${left} ms`);
      await sleep(3 * SHORT_COMMAND_MS + 100);
      chaosRun.expect(isCut === isLost, 'the lease was not set');
      chaosRun.expect(!next.signal.aborted, 'the lock was lost after its first lease');
      chaosRun.expect((await next.release()) === 'released', 'the lock was not held any more');
    }
  },
});

/** Faults between a release that gives the lock to a client, and the message that tells it. Each is made to happen. */
export const grantCases: readonly ChaosCase[] = [
  {
    id: 'F31g',
    title: 'a client is given the lock and killed before it reads the message: the next has it after one first lease',
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const { admin } = onlyServer(chaosRun);
      const [holder, last] = [chaosRun.open(), chaosRun.open()];
      const hold = await holder.locks.acquire(NAME, { lease: LONG_MS });
      const doomed = await chaosRun.spawn(oneLoop);
      const [owner] = await untilWaiting(chaosRun, admin, NAME, 1);
      const waiting = last.locks.acquire(NAME, { wait: 4000, lease: LONG_MS });
      await untilWaiting(chaosRun, admin, NAME, 2);
      await sleep(OLD_MS);
      chaosRun.pauseProcess(doomed);
      await hold.release();
      chaosRun.expect((await holderOf(admin, NAME)) === owner, 'the lock was not given to the first client');
      await chaosRun.killProcess(doomed);
      await expectServed(chaosRun, waiting, 3 * COMMAND_MS + POLL_MS + COMMAND_MS, 'after a dead client');
    },
  },
  {
    id: 'F32g',
    title: 'dead clients at the head of those that wait: they are passed over at once',
    topologies: ['standalone', 'cluster'],
    load: () => [],
    options: patient,
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(await masterOf(chaosRun.topology, NAME));
      const [holder, last] = [chaosRun.open(), chaosRun.open()];
      const hold = await holder.locks.acquire(NAME, { lease: LONG_MS });
      const dying = [await chaosRun.spawn(oneLoop), await chaosRun.spawn(oneLoop)];
      await untilWaiting(chaosRun, admin, NAME, 2);
      const waiting = last.locks.acquire(NAME, { wait: 4000, lease: LONG_MS });
      await untilWaiting(chaosRun, admin, NAME, 3);
      for (const index of dying) await chaosRun.killProcess(index);
      await hold.release();
      await expectServed(chaosRun, waiting, AT_ONCE_MS, 'behind dead clients');
    },
  },
  {
    id: 'F28g',
    title: 'the message about a grant is lost, with the connection: the client asks again, and has the lock',
    topologies: ['standalone'],
    load: () => [],
    options: patient,
    run: async (chaosRun) => {
      const { admin, proxy, url } = onlyServer(chaosRun);
      const [holder, waiter] = [chaosRun.open({ connection: url }), chaosRun.open()];
      for (let round = 0; chaosRun.special.length === 0 && round < 3 * chaosRun.scale; round++) {
        const hold = await holder.locks.acquire(NAME, { lease: LONG_MS });
        const waiting = waiter.locks.acquire(NAME, { wait: 4000, lease: LONG_MS });
        const [owner] = await untilWaiting(chaosRun, admin, NAME, 1);
        proxy.blackhole('reply');
        await hold.release();
        chaosRun.expect((await holderOf(admin, NAME)) === owner, 'the lock was not given to the client');
        await sleep(chaosRun.rng.between(20, 100));
        proxy.heal();
        await expectServed(chaosRun, waiting, AT_ONCE_MS, 'after a lost message');
      }
    },
  },
  wholeLease('F3g', 'plain', scripts.lock.hold, (client) => client.locks.getLock(NAME)),
  wholeLease('F3f', 'fair', scripts.fairLock.hold, (client) => client.locks.getFairLock(NAME)),
  {
    id: 'F44g',
    title: 'a wait is aborted at the moment of the grant: the next client has the lock at once',
    topologies: ['standalone', 'cluster'],
    load: () => [],
    options: patient,
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(await masterOf(chaosRun.topology, NAME));
      const [holder, aborted, last] = [chaosRun.open(), chaosRun.open(), chaosRun.open()];
      let withdrawn = 0;
      for (let round = 0; round < 60 * chaosRun.scale; round++) {
        const hold = await holder.locks.acquire(NAME, { lease: LONG_MS, wait: 5000 });
        const abort = new AbortController();
        const first = aborted.locks.acquire(NAME, { wait: 20_000, lease: LONG_MS, signal: abort.signal }).then(
          (got) => got.release(),
          (error: unknown) => error,
        );
        await untilWaiting(chaosRun, admin, NAME, 1);
        const waiting = last.locks.acquire(NAME, { wait: 4000, lease: LONG_MS });
        await untilWaiting(chaosRun, admin, NAME, 2);
        const released = hold.release();
        // The release is on its way, executed, or answered.
        const turns = chaosRun.rng.whole(0, 6);
        for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
        abort.abort();
        const outcome = await first;
        await released;
        if (outcome instanceof LockAbortedError) withdrawn += 1;
        else chaosRun.expect(outcome === 'released', `an aborted wait came to ${String(outcome)}`);
        await expectServed(chaosRun, waiting, AT_ONCE_MS, 'behind an aborted wait');
      }
      chaosRun.note(`${withdrawn} waits were aborted`);
      chaosRun.expect(withdrawn > 0, 'no wait was aborted in time');
    },
  },
];
