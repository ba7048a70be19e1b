/** Values of `renewIn` that the compiler must accept or refuse; see `locked.types.ts`. */
import type { RedisLockOptions } from 'nest-redis-lock';

export const accepted: readonly RedisLockOptions[] = [
  { renewIn: 'main' },
  { renewIn: 'worker' },
  { renewIn: { worker: '5m' } },
  { renewIn: { worker: 90_000 } },
  { renewIn: undefined },
];

export const refused: readonly RedisLockOptions[] = [
  // @ts-expect-error the threads are main and worker
  { renewIn: 'thread' },
  // @ts-expect-error it is no flag
  { renewIn: true },
  // @ts-expect-error the time is missing
  { renewIn: {} },
  // @ts-expect-error main stands for no time
  { renewIn: { main: '5m' } },
  // @ts-expect-error no duration
  { renewIn: { worker: 'long' } },
];
