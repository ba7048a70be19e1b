// A script without Nest's container, as an ES module, run bundled into one file.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createLocks } from 'nest-redis-lock';

const locks = await createLocks({ connection: process.env.REDIS_URL, keyPrefix: 'bundled:' });
try {
  await locks.withLock('order:42', async (hold) => {
    assert.equal(hold.isHeld, true);
    assert.equal(await locks.runInScope(() => locks.tryAcquire('order:42')), null);
  });
  assert.equal(await locks.getLock('order:42').isLocked(), false);
} finally {
  await locks.close();
}
