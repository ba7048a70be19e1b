import { AsyncResource } from 'node:async_hooks';
import { LockDeadlockError } from '../../lib/standalone.js';
import { openClient } from '../kit/client.js';
import { Gate } from '../kit/gate.js';
import { ServedTime } from '../kit/served-time.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , connection = ''] = process.argv;
const client = openClient({ connection, lockOrder: 'off' });
const { locks } = client;

const WAIT = { wait: '60s' } as const;

/** A lock of a kind, or one permit of a limit. */
export type Wanted =
  | { readonly kind: 'lock' | 'fair' | 'read' | 'write'; readonly name: string }
  | { readonly kind: 'limit'; readonly name: string; readonly limit: number };

const enter = (wanted: Wanted, work: () => Promise<unknown>): Promise<unknown> => {
  switch (wanted.kind) {
    case 'limit':
      return locks.withLock(wanted.name, { limit: wanted.limit, ...WAIT }, work);
    case 'read':
      return locks.getReadWriteLock(wanted.name).readLock().withLock(WAIT, work);
    case 'write':
      return locks.getReadWriteLock(wanted.name).writeLock().withLock(WAIT, work);
    case 'fair':
      return locks.getFairLock(wanted.name).withLock(WAIT, work);
    default:
      return locks.getLock(wanted.name).withLock(WAIT, work);
  }
};

let inside = new AsyncResource('no section');
const ended = new Gate();

/** How the wait for a second lock ended. */
export interface NestedOutcome {
  readonly outcome: 'acquired' | 'deadlock';
  readonly message?: string;
  /** Milliseconds for which the process could run. */
  readonly waited: number;
}

/** Another process, whose code holds one lock and waits for a second one. */
export const api = {
  connected: (): Promise<void> => client.connected(),
  /** Resolves when it holds the first lock, which it does until the wait for the second has ended. */
  hold: (first: Wanted): Promise<void> =>
    new Promise((resolve, reject) => {
      const section = enter(first, async () => {
        inside = new AsyncResource('section');
        resolve();
        await ended.pass();
      });
      section.catch(reject);
    }),
  waitFor: async (second: Wanted): Promise<NestedOutcome> => {
    const time = new ServedTime();
    const waited = (): number => Math.round(time.elapsed);
    try {
      return await inside.runInAsyncScope(async () => {
        let outcome: NestedOutcome | undefined;
        await enter(second, async () => {
          outcome = { outcome: 'acquired', waited: waited() };
        });
        return outcome ?? { outcome: 'acquired', waited: waited() };
      });
    } catch (error) {
      if (error instanceof LockDeadlockError) return { outcome: 'deadlock', message: error.message, waited: waited() };
      throw error;
    } finally {
      time.stop();
      ended.open();
    }
  },
};

serve(api);
