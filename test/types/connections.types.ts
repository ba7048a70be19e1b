/** Options of the module that the compiler must refuse or accept; see `locked.types.ts`. */
import { Redis } from 'ioredis';
import { type LockService, type MultiHold, type RedisLockOptions } from 'nest-redis-lock';

declare const client: Redis;
declare const locks: LockService;

export const accepted: readonly RedisLockOptions[] = [
  { connections: { default: 'redis://127.0.0.1:6379', billing: 'memory' } },
  { connections: { default: client, sentinels: { sentinels: [{ host: 's1' }], name: 'shop' } } },
  { connections: { default: { port: 6380 }, cluster: { cluster: ['redis://c1:7000', { host: 'c2' }] } } },
];

export const refused: readonly RedisLockOptions[] = [
  // @ts-expect-error connections have names
  { connections: ['redis://127.0.0.1:6379'] },
  // @ts-expect-error a connection is no port
  { connections: { default: 6379 } },
  // @ts-expect-error a connection that is missing is a mistake, never a default one
  { connections: { default: undefined } },
];

export const chosen: readonly Promise<unknown>[] = [
  locks.acquire('order:1', { connection: 'billing', mode: 'read' }),
  locks.tryAcquire('order:1', { connection: undefined }),
  locks.withLock('order:1', { connection: 'billing' }, ({ fence }) => fence),
  locks.getMultiLock('a', locks.forConnection('billing').getFairLock('a')).acquire() satisfies Promise<MultiHold>,
  // @ts-expect-error an existing lock already has its connection
  locks.getLock('order:1').acquire({ connection: 'billing' }),
];
