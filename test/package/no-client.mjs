// A script where no client library is installed: memory needs none, and a server says which to install.
import assert from 'node:assert/strict';
import { createLocks } from 'nest-redis-lock/standalone';

const memory = await createLocks({ connection: 'memory' });
await memory.withLock('order:42', async (hold) => assert.equal(hold.isHeld, true));
await memory.close();

await assert.rejects(createLocks({ connection: 'redis://127.0.0.1:6379' }), (error) => {
  assert.match(error.message, /ioredis and redis are not installed; npm install ioredis, or npm install redis/);
  return true;
});
