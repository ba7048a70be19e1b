import fc from 'fast-check';
import type { WaitingWriter } from '../../../lib/backend/lock-operations.js';
import { lease, UNIT } from '../durations.js';
import { name, readerOrWriter } from '../names.js';
import type { Step } from '../pair.js';

/**
 * A writer with a slot of its own, so that the milliseconds of a real server never decide which writer waits
 * longest.
 */
const waitingWriter = (number: number): WaitingWriter => ({
  id: `44444444-4444-4444-4444-444444444444:waiter${number}`,
  slot: (3 + number) * UNIT,
});

/** Writers that go before new readers, and readers that let them pass. Operations of every lock are in `lock.steps`. */
export const preferenceSteps: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(name, readerOrWriter, lease).map(([lock, by, ms]): Step => ({
    label: `readLock.acquire ${lock} ${by} ${ms} behind writers`,
    run: ({ backend }) => backend.readLock.acquire({ name: lock, owner: by, lease: ms, behindWriters: true }),
  })),
  fc.tuple(name, readerOrWriter, fc.integer({ min: 0, max: 2 }), lease).map(([lock, by, waiter, ms]): Step => ({
    label: `writeLock.acquire ${lock} ${by} ${ms} waiting as writer ${waiter}`,
    run: ({ backend }) =>
      backend.writeLock.acquire({ name: lock, owner: by, lease: ms, waiting: waitingWriter(waiter) }),
  })),
  fc.tuple(name, fc.integer({ min: 0, max: 2 })).map(([lock, waiter]): Step => ({
    label: `writeLock.withdraw ${lock} writer ${waiter}`,
    run: ({ backend }) => backend.writeLock.withdraw(lock, waitingWriter(waiter)),
  })),
  fc.tuple(name, fc.integer({ min: 0, max: 2 })).map(([lock, waiter]): Step => ({
    label: `writeLock.announce ${lock} writer ${waiter}`,
    run: ({ backend }) => backend.writeLock.announce(lock, waitingWriter(waiter)),
  })),
);
