import { createLocks } from 'nest-redis-lock/standalone';

const migrate = async (): Promise<void> => {};

await using locks = await createLocks({ connection: 'redis://127.0.0.1:6379', keyPrefix: 'shop:lock:' });
await locks.withLock('migrations', { wait: '5m' }, () => migrate());
