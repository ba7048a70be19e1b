import { setTimeout as sleep } from 'node:timers/promises';
import { type Place, webLockCases } from './web-lock-cases.js';

const { navigator } = globalThis as { navigator?: { locks?: Place['one'] } };
const locks = navigator?.locks;
const why = locks ? '' : ' (this Node has no navigator.locks; 24.5 has)';

/** The cases themselves, by what they describe. */
(locks ? describe : describe.skip)(`navigator.locks of Node${why}`, () => {
  it.each(Object.entries(webLockCases))('%s', async (_, check) => {
    const place = locks && { one: locks, other: locks, settle: () => sleep(20) };
    await expect(place && check(place)).resolves.toBeUndefined();
  });
});
