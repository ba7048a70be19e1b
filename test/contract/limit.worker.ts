import { setTimeout as sleep } from 'node:timers/promises';
import { openClient } from '../kit/client.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , connection = '', renewedLease = '30000'] = process.argv;
const client = openClient({ connection, renewedLease: Number(renewedLease) });

const admin = connectAdmin(connection);
const seen = { calls: 0, mostInside: 0 };

/** Counts the callers inside, of all processes, in a hash with a field for each process. */
const visit = async (inside: string): Promise<void> => {
  const field = String(process.pid);
  await admin.hincrby(inside, field, 1);
  const counts = await admin.hvals(inside);
  seen.mostInside = Math.max(
    seen.mostInside,
    counts.reduce((sum, count) => sum + Number(count), 0),
  );
  await sleep(2);
  await admin.hincrby(inside, field, -1);
  seen.calls += 1;
};

const callForEver = async (name: string, limit: number, inside: string): Promise<never> => {
  for (;;) await client.locks.withLimit(name, limit, { wait: Infinity }, () => visit(inside));
};

/** Another process with callers that never leave, or that call again and again. */
export const api = {
  /** Lets callers call for ever. */
  start: (callers: number, name: string, limit: number, inside: string): void => {
    for (let caller = 0; caller < callers; caller++) {
      // An error ends the process, and so fails the test.
      void callForEver(name, limit, inside);
    }
  },
  /** The number of calls so far, and the largest number of callers inside at once that a call has seen. */
  seen: () => seen,
  /** Resolves with the owner of a permit. */
  enter: (name: string, limit: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const forever = new Promise<never>(() => {});
      client.locks
        .withLimit(name, limit, ({ owner }) => {
          resolve(owner);
          return forever;
        })
        .catch(reject);
    }),
};

serve(api);
