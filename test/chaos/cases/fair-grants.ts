import type { Hold } from '../../../lib/index.js';
import { clientChannel, fairQueue } from '../../../lib/keys/redisson-keys.js';
import type { ChaosCase } from '../case.js';
import { COMMAND_MS, POLL_MS } from '../chaos-run.js';
import type { Load } from '../load/load.js';
import { masterOf } from '../topologies/master-of.js';
import { holderOf } from '../waiting-clients.js';

const LONG_MS = 60_000;
const NAME = 'fair:1';
/** Time for a waiter to be served when nothing has to end first. */
const AT_ONCE_MS = 1500;
/** The longest time for which a dead client may keep the lock from the next one: its first lease, and a poll. */
const ONE_CLIENT_MS = 3 * COMMAND_MS + POLL_MS + COMMAND_MS;

/** One loop that waits for the lock, with a lease of its own. */
const oneLoop: readonly Load[] = [{ kind: 'fair', names: [NAME], loops: 1, wait: 20_000, hold: 20, lease: LONG_MS }];

/** Faults between a release that gives a fair lock to a client, and the message that tells it. */
export const fairGrantCases: readonly ChaosCase[] = [
  {
    id: 'F31f',
    title: 'a client is given a fair lock and killed before it reads the message: the others have it in their order',
    topologies: ['standalone', 'cluster'],
    load: () => [],
    run: async (chaosRun) => {
      const admin = chaosRun.topology.admin(await masterOf(chaosRun.topology, NAME));
      const inQueue = async (n: number): Promise<readonly string[]> => {
        const owners = () => admin.lrange(fairQueue(NAME), '0', '-1');
        await chaosRun.until(async () => (await owners()).length === n, 5000, `${n} client(s) queue for ${NAME}`);
        return owners();
      };
      const [holder, second, third] = [chaosRun.open(), chaosRun.open(), chaosRun.open()];
      const served: string[] = [];
      const waitFor = ({ locks }: typeof second, who: string): Promise<Hold | undefined> =>
        locks
          .getFairLock(NAME)
          .acquire({ wait: 20_000, lease: LONG_MS })
          .then(
            (got) => {
              served.push(who);
              return got;
            },
            () => undefined,
          );
      const hold = await holder.locks.getFairLock(NAME).acquire({ lease: LONG_MS });

      const doomed = await chaosRun.spawn(oneLoop);
      const [owner] = await inQueue(1);
      const listens = async (): Promise<boolean> => {
        const channel = clientChannel(NAME, await chaosRun.clientOf(doomed));
        const counts = await Promise.all([admin.pubsub('NUMSUB', channel), admin.pubsub('SHARDNUMSUB', channel)]);
        return counts.some(([, count]) => Number(count) > 0);
      };
      await chaosRun.until(listens, 5000, 'the first client listens for grants');
      const next = waitFor(second, 'second');
      await inQueue(2);
      const last = waitFor(third, 'third');
      await inQueue(3);

      chaosRun.pauseProcess(doomed);
      await hold.release();
      chaosRun.expect((await holderOf(admin, NAME)) === owner, 'the lock was not given to the first client');
      await chaosRun.killProcess(doomed);
      const release = async (waiting: Promise<Hold | undefined>, ms: number, who: string): Promise<void> => {
        const start = performance.now();
        const got = await waiting;
        const took = performance.now() - start;
        chaosRun.expect(took < ms, `the ${who} client was served after ${Math.round(took)} ms`);
        await got?.release();
      };
      await release(next, ONE_CLIENT_MS, 'second');
      await release(last, AT_ONCE_MS, 'third');
      chaosRun.expect(served.join(', ') === 'second, third', `the order was ${served.join(', ')}`);
    },
  },
];
