import { createLocks, LockTimeoutError } from 'nest-redis-lock/standalone';

// Once for each execution environment, not for each call.
const locks = await createLocks({
  connection: 'rediss://redis.internal:6379',
  keyPrefix: 'lock:',
  renewedLease: '10s', // a call that is killed keeps its lock for no longer
});

export const handler = async ({ orderId }: { orderId: string }): Promise<{ statusCode: number }> => {
  try {
    await locks.withLock(`order:${orderId}`, { wait: '2s' }, async ({ signal }) => {
      await fetch(`https://psp.example/charges/${orderId}`, { method: 'POST', signal });
    });
    return { statusCode: 200 };
  } catch (error) {
    if (error instanceof LockTimeoutError) return { statusCode: 503 }; // or let it fail, so that a queue delivers it again
    throw error;
  }
};
