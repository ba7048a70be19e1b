import { Redis } from 'ioredis';

/** Deletes all keys of a shop that has closed, those of its locks included: the Redis may be somebody's own. */
export async function forgetKeys(url: string, keyPrefix: string): Promise<void> {
  const client = new Redis(url, { connectTimeout: 2000, commandTimeout: 2000, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    // Companion keys of locks have other words in front.
    for await (const keys of client.scanStream({ match: `*${keyPrefix}*`, count: 1000 }) as AsyncIterable<string[]>) {
      if (keys.length > 0) await client.unlink(...keys);
    }
  } finally {
    client.disconnect();
  }
}
