/**
 * Uses of fences that must be refused or accepted at compile time. Nothing here runs: the check is `npm run typecheck`,
 * where a line after `@ts-expect-error` that compiles is an error.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Cluster, Redis } from 'ioredis';
import type { FencedHold, Hold } from 'nest-redis-lock';
import {
  checkFence,
  fenceHeader,
  type FenceStore,
  MemoryFenceStore,
  RedisFenceStore,
  setIfFence,
  sqlFence,
} from 'nest-redis-lock/fencing';

declare const fenced: FencedHold;
declare const plain: Hold;
declare const redis: Redis;
declare const cluster: Cluster;
declare const headers: IncomingHttpHeaders;

export const accepted = (): readonly unknown[] => [
  sqlFence(fenced.fence, { resource: 'ledger 7', placeholder: '$3' }),
  sqlFence(fenced.fence, { resource: 'ledger 7', placeholder: ':fence', column: 'last_fence' }),
  setIfFence(redis, 'report', 'text', fenced.fence, { ttl: '1h', keepFence: '1h' }),
  setIfFence(cluster, 'report', 'text', fenced.fence),
  fenceHeader(fenced.fence),
  checkFence(headers, 'ledger 7', new RedisFenceStore(redis)),
  checkFence(new Headers(), 'ledger 7', new MemoryFenceStore()),
  { advance: async (_resource, fence) => fence } satisfies FenceStore,
];

export const refused = (): readonly unknown[] => [
  // @ts-expect-error -- a hold of another kind has no fence
  sqlFence(plain.fence, { resource: 'ledger 7', placeholder: '$3' }),
  // @ts-expect-error -- a number is not exact
  fenceHeader(7),
  // @ts-expect-error -- a placeholder that can stand for one value only
  sqlFence(fenced.fence, { resource: 'ledger 7', placeholder: '?' }),
  // @ts-expect-error -- the resource is missing
  sqlFence(fenced.fence, { placeholder: '$3' }),
  // @ts-expect-error -- a value has to be text
  setIfFence(redis, 'report', { a: 1 }, fenced.fence),
  // @ts-expect-error -- no such option
  setIfFence(redis, 'report', 'text', fenced.fence, { lease: '1h' }),
];
