import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenLibrary } from '../adapters/adapter.js';
import { now, NS_PER_MS, until } from './clock.js';
import type { ContendDone, ContendTask } from './tasks.js';
import { Timeline } from './timeline.js';

/** Time for which a loop waits for the lock after the others have stopped asking for it. */
const GRACE_MS = 10_000;
const STUCK_AFTER_MS = GRACE_MS + 2000;

/** Increments a counter by a read and a write, in two round trips, which needs a lock. */
export type Increment = (key: string) => Promise<void>;

/**
 * Runs many loops on one lock until `end`, and writes their acquisitions to the file.
 * @param libraryOf The library that a loop uses.
 */
export async function contend(
  libraryOf: (loop: number) => OpenLibrary,
  increment: Increment,
  task: ContendTask,
): Promise<ContendDone> {
  const timeline = new Timeline();
  const failures: string[] = [];
  const failed = (error: unknown): void => {
    failures.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  };
  let running = task.loops;

  const pass = async (loop: number): Promise<void> => {
    const asked = now();
    const wait = Math.ceil((task.end - asked) / NS_PER_MS) + GRACE_MS;
    const held = await libraryOf(loop).acquire(task.key, { wait });
    const granted = now();
    if (task.counter !== undefined) await increment(task.counter);
    if (task.sectionMs > 0) await sleep(task.sectionMs);
    const released = now();
    timeline.add(loop, asked, granted, released);
    await held.release();
  };
  const run = async (loop: number): Promise<void> => {
    while (now() < task.end) {
      try {
        await pass(loop);
      } catch (error) {
        failed(error);
        // A library that fails at once must not keep the others from the event loop.
        await sleep(1);
      }
    }
    running--;
  };

  await until(task.start);
  const all = Promise.all(Array.from({ length: task.loops }, (_, loop) => run(loop)));
  await Promise.race([all, until(task.end + STUCK_AFTER_MS * NS_PER_MS)]);
  timeline.write(task.file);
  return { failures: failures.length, firstFailure: failures[0] ?? '', stuck: running };
}
