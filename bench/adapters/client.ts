import { Redis } from 'ioredis';
import type { Address } from './adapter.js';

/** An ioredis client with default settings, connected. */
export async function connect({ host, port }: Address): Promise<Redis> {
  const client = new Redis({ host, port, lazyConnect: true });
  await client.connect();
  return client;
}
