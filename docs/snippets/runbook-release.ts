import { createLocks } from 'nest-redis-lock/standalone';

await using locks = await createLocks({ connection: 'redis://redis:6379', keyPrefix: 'lock:' });
const { holders } = await locks.getLock('order:42').inspect();
for (const { owner, record } of holders) {
  console.log(owner, record?.host, record?.pid, record?.method);
  await locks.releaseHolder('order:42', owner); // this owner, and no other
}
