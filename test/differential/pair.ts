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
import { ClockedServer } from '../servers/clocked-server.js';

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

/** Longer than a test may take, ms: how long the server takes decides nothing. */
const NO_TIMEOUT = 3_600_000;

/** Beyond this a number is an instant, ms since the epoch; beyond the next it is Redisson's word for never. */
const INSTANT = 1e12;
const NEVER = 1e14;

const normalizedNumber = (value: number, now: number): unknown =>
  value > INSTANT && value < NEVER ? `now + ${value - now} ms` : value;

/** Instants relative to now; everything else as it is. */
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
    const kept = { type, ttl };
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

/**
 * A real server and a memory that get the same operations. Both their clocks stand still but for the steps that let time
 * go by, so that nothing depends on how long the server takes.
 */
export class Pair {
  private constructor(
    private readonly clocked: ClockedServer,
    private readonly admin: Redis,
    private readonly redis: Side,
  ) {}

  static async start(): Promise<Pair> {
    const clocked = await ClockedServer.start();
    let instant = Date.now();
    clocked.standAt(instant);
    const { url } = clocked.server;
    const scheduler = new MonotonicScheduler(systemScheduler, rethrow);
    const transport = openTransport(url, { commandTimeout: NO_TIMEOUT }, scheduler);
    // The time-out of a command about a short lease is shorter than that lease, which a busy server may exceed.
    transport.commands.timeoutFor = () => NO_TIMEOUT;
    const redis: Side = {
      backend: new RedisBackend(transport, { fencing: 'counter' }, scheduler),
      now: () => instant,
      pass: (ms) => {
        instant += ms;
        clocked.standAt(instant);
        return Promise.resolve();
      },
    };
    return new Pair(clocked, new Redis(url), redis);
  }

  /** Does the steps one after the other on both sides, from nothing, and compares every reply and what is left. */
  async compare(steps: readonly Step[]): Promise<void> {
    await this.admin.flushall();
    const { memory, store } = await freshMemory(this.redis.now());
    for (const step of steps) {
      const [real, modelled] = [await outcomeOf(this.redis, step), await outcomeOf(memory, step)];
      expect({ step: step.label, reply: modelled }).toEqual({ step: step.label, reply: real });
    }
    const real = normalizedState(await readLasting(this.admin), this.redis.now());
    expect(normalizedState(readMemory(store), memory.now())).toEqual(real);
  }

  async stop(): Promise<void> {
    await this.redis.backend.close(200);
    this.admin.disconnect();
    await this.clocked.server.stop();
  }
}

/** What the server holds but the marks of requests. */
const readLasting = async (admin: Redis): Promise<RedisData> =>
  Object.fromEntries(Object.entries(await readRedis(admin)).filter(([name]) => !name.startsWith(REQUEST_MARKER)));

/** An empty memory whose clock stands at an instant. */
const freshMemory = async (instant: number): Promise<{ memory: Side; store: MemoryStore }> => {
  const clock = new ManualClock();
  await clock.advance(instant);
  const store = new MemoryStore(new MonotonicScheduler(clock, rethrow));
  const memory: Side = {
    backend: new MemoryBackend(store, 'counter'),
    now: () => store.now(),
    pass: (ms) => clock.advance(ms),
  };
  return { memory, store };
};
