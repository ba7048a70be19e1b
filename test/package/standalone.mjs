// A script as an ES module, beside a client library alone, and bundled into one file.
import assert from 'node:assert/strict';
import { createLocks } from 'nest-redis-lock/standalone';

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
