import { Redis } from 'ioredis';

/** Deletes all keys of a closed shop, including those of its locks: the Redis may belong to the user. */
export async function deleteKeys(url: string, keyPrefix: string): Promise<void> {
  const client = new Redis(url, { connectTimeout: 2000, commandTimeout: 2000, retryStrategy: () => null });
  client.on('error', () => undefined);
  try {
    // Companion keys of locks have another prefix before that of the shop.
    for await (const keys of client.scanStream({ match: `*${keyPrefix}*`, count: 1000 }) as AsyncIterable<string[]>) {
      if (keys.length > 0) await client.unlink(...keys);
    }
  } finally {
    client.disconnect();
  }
}
