import { Redis } from 'ioredis';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import { MemoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { MemoryStore } from '../../lib/backend/memory/memory-store.js';
import { RedisBackend } from '../../lib/backend/redis/redis-backend.js';
import { openTransport } from '../../lib/backend/redis/transport.js';
import { LockError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { readMemory } from '../contract/vectors/memory-data.js';
import { readRedis, type RedisData } from '../contract/vectors/redis-data.js';
import { RedisServer } from '../servers/redis-server.js';
import { UNIT } from './durations.js';

const rethrow = (error: unknown): never => {
  throw error;
};

/** How a server knows a counter's request again; memory never hears one twice. */
const REQUEST_MARKER = 'redisson_unlock_latch:';

/** One of the two, with its clock. */
export interface Side {
  readonly backend: LockBackend;
  /** What the backend takes for the server's clock, ms. */
  readonly now: () => number;
  /** Lets `ms` go by. */
  readonly pass: (ms: number) => Promise<void>;
}

/** An operation as both sides are asked for it. */
export interface Step {
  readonly label: string;
  run(side: Side): Promise<unknown>;
}

/** Beyond this a number is an instant, ms since the epoch; beyond the next it is Redisson's word for never. */
const INSTANT = 1e12;
const NEVER = 1e14;

/** Times differ by how long the real server took; what is left after rounding is what was asked for. */
const normalizedNumber = (value: number, now: number): unknown => {
  if (value < UNIT / 2 || value >= NEVER) return value;
  return `${Math.round((value > INSTANT ? value - now : value) / UNIT)} units`;
};

/** Instants and durations relative to now and rounded; everything else as it is. */
const normalized = (value: unknown, now: number): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return normalizedNumber(value, now);
  // What else lives under a name the two call by their own words.
  if (value instanceof LockError) return value.name;
  if (Array.isArray(value)) return value.map((item) => normalized(item, now));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'sent');
  return Object.fromEntries(entries.map(([key, inner]) => [key, normalized(inner, now)]));
};

/** Whether what a key holds under such a member or field is an instant. */
const isInstant = (type: string, field: string): boolean => type === 'zset' || field.endsWith(':expire_time');

const normalizedState = (data: RedisData, now: number): unknown => {
  const entries = Object.entries(data).map(([name, { type, value, ttl }]) => {
    const kept = { type, ttl: normalizedNumber(ttl, now) };
    if (type !== 'zset' && type !== 'hash') return [name, { ...kept, value }];
    const fields = Object.entries(value).map(([field, inner]: [string, string]) => [
      field,
      isInstant(type, field) ? normalizedNumber(Number(inner), now) : inner,
    ]);
    return [name, { ...kept, value: Object.fromEntries(fields) }];
  });
  return Object.fromEntries(entries);
};

const outcomeOf = async (side: Side, step: Step): Promise<unknown> => {
  try {
    return normalized(await step.run(side), side.now());
  } catch (error) {
    if (error instanceof LockError) return normalized(error, side.now());
    throw error;
  }
};

/** A real server and a memory that get the same operations. */
export class Pair {
  private constructor(
    private readonly server: RedisServer,
    private readonly admin: Redis,
    private readonly redis: Side,
    private memory: Side,
    private store: MemoryStore,
  ) {}

  static async start(): Promise<Pair> {
    const server = await RedisServer.start();
    const scheduler = new MonotonicScheduler(systemScheduler, rethrow);
    const transport = openTransport(server.url, { commandTimeout: 2000 }, scheduler);
    const backend = new RedisBackend(transport, { fences: 'counter' }, scheduler);
    const redis = {
      backend,
      now: () => Date.now(),
      pass: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
    };
    const { side, store } = await freshMemory();
    return new Pair(server, new Redis(server.url), redis, side, store);
  }

  /** Does the steps one after the other on both sides, from nothing, and compares every reply and what is left. */
  async compare(steps: readonly Step[]): Promise<void> {
    await this.admin.flushall();
    ({ side: this.memory, store: this.store } = await freshMemory());
    for (const step of steps) {
      const [real, modelled] = [await outcomeOf(this.redis, step), await outcomeOf(this.memory, step)];
      expect({ step: step.label, reply: modelled }).toEqual({ step: step.label, reply: real });
    }
    await this.compareState();
  }

  async stop(): Promise<void> {
    await this.redis.backend.close(200);
    this.admin.disconnect();
    await this.server.stop();
  }

  private async compareState(): Promise<void> {
    const lasting = Object.entries(await readRedis(this.admin)).filter(([name]) => !name.startsWith(REQUEST_MARKER));
    const real = normalizedState(Object.fromEntries(lasting), this.redis.now());
    expect(normalizedState(readMemory(this.store), this.memory.now())).toEqual(real);
  }
}

const freshMemory = async (): Promise<{ side: Side; store: MemoryStore }> => {
  const clock = new ManualClock();
  // To where the system's clock stands, so that instants look alike on both sides.
  await clock.advance(Date.now());
  const store = new MemoryStore(new MonotonicScheduler(clock, rethrow));
  const side = {
    backend: new MemoryBackend(store, 'counter'),
    now: () => store.now(),
    pass: (ms: number) => clock.advance(ms),
  };
  return { side, store };
};
