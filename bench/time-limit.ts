import { setTimeout as sleep } from 'node:timers/promises';

/** Settles like `work`, or rejects with the message of `complaint` when that takes longer. The work itself goes on. */
export async function within<T>(ms: number, work: Promise<T>, complaint: () => Promise<string> | string): Promise<T> {
  const done = new AbortController();
  const late = sleep(ms, undefined, { signal: done.signal }).then(async () => {
    throw new Error(await complaint());
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    done.abort();
  }
}
