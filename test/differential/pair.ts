import type { Redis } from 'ioredis';
import type { LockBackend } from '../../lib/backend/lock-backend.js';
import type { Keyspace } from '../../lib/backend/memory/keyspace.js';
import { MemoryServer } from '../../lib/backend/memory/memory-server.js';
import { memoryTransport } from '../../lib/backend/memory/memory-transport.js';
import { RedisBackend } from '../../lib/backend/redis-backend.js';
import { lockScripts } from '../../lib/backend/scripts/all-scripts.js';
import { openTransport } from '../../lib/backend/transport.js';
import { LockError } from '../../lib/errors.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, systemScheduler } from '../../lib/time/scheduler.js';
import { readKeyspace } from '../contract/vectors/memory-data.js';
import { readRedis, type RedisData } from '../contract/vectors/redis-data.js';
import { ClockedServer } from '../servers/redis/clocked-server.js';
import { type Listeners, MemoryListeners, RedisListeners } from './listeners.js';
import { connectAdmin } from '../servers/redis/admin-connection.js';
import { serverTarget } from '../../lib/backend/redis-target.js';

const rethrow = (error: unknown): never => {
  throw error;
};

/** Prefix of the keys by which a server recognizes a repeated request. */
const REQUEST_MARKER = 'redisson_unlock_latch:';

/** One of the two backends, with its clock. */
export interface Side {
  readonly backend: LockBackend;
  /** The server's clock for this backend, ms. */
  readonly now: () => number;
  /** Moves the clock by `ms`. */
  readonly pass: (ms: number) => Promise<void>;
  readonly listeners: Listeners;
}

/** An operation that both sides execute. */
export interface Step {
  readonly label: string;
  run(side: Side): Promise<unknown>;
}

/** A time-out that outlasts a test, ms, so that the speed of the server does not matter. */
const NO_TIMEOUT = 3_600_000;

/** Greater numbers are instants, ms since the epoch. Numbers above the second limit have no end in Redisson. */
const INSTANT = 1e12;
const NEVER = 1e14;

const normalizedNumber = (value: number, now: number): unknown =>
  value > INSTANT && value < NEVER ? `now + ${value - now} ms` : value;

/** Redis counts connections; a memory is used by one process, which counts as one. */
const isHeard = (count: unknown): boolean => Number(count) > 0;

/** Makes instants relative to now, and changes nothing else. */
const normalized = (value: unknown, now: number): unknown => {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return normalizedNumber(value, now);
  // The backends describe a key of another type in different words.
  if (value instanceof LockError) return value.name;
  if (Array.isArray(value)) return value.map((item) => normalized(item, now));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'sent');
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, normalized(key === 'heard' || key === 'asking' ? isHeard(inner) : inner, now)]),
  );
};

/** Whether the value of such a member or field is an instant. */
const isInstant = (type: string, field: string): boolean => type === 'zset' || field.endsWith(':expire_time');

const normalizedState = (data: RedisData, now: number): unknown => {
  const entries = Object.entries(data).map(([name, { type, value, ttl }]) => {
    const kept = { type, ttl };
    // The instants of arrival differ between the backends; their order does not.
    if (name.endsWith(':waiters')) return [name, { ...kept, value: Object.keys(value) }];
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
 * A real server and a memory that execute the same operations. Both clocks stand still except in steps that move them,
 * so that the speed of the server has no effect.
 */
export class Pair {
  private constructor(
    private readonly clocked: ClockedServer,
    private readonly admin: Redis,
    private readonly redis: Side,
    private readonly listeners: RedisListeners,
  ) {}

  static async start(): Promise<Pair> {
    const clocked = await ClockedServer.start();
    let instant = Date.now();
    clocked.standAt(instant);
    const { url } = clocked.server;
    const scheduler = new MonotonicScheduler(systemScheduler, rethrow);
    const transport = openTransport(serverTarget(url), { commandTimeout: NO_TIMEOUT }, scheduler);
    // By default the time-out of a command about a short lease is shorter than the lease, and a busy server may exceed
    // it.
    transport.commands.timeoutFor = () => NO_TIMEOUT;
    const listeners = new RedisListeners(url);
    const redis: Side = {
      listeners,
      backend: new RedisBackend(transport, { fencing: 'counter' }, scheduler),
      now: () => instant,
      pass: (ms) => {
        instant += ms;
        clocked.standAt(instant);
        return Promise.resolve();
      },
    };
    const admin = connectAdmin(url);
    // A script that the server does not know is sent again, and a later command overtakes it.
    await Promise.all(lockScripts.map(({ text }) => admin.script('LOAD', text)));
    return new Pair(clocked, admin, redis, listeners);
  }

  /** Executes the steps in order on both sides, from an empty state, and compares every reply and the final state. */
  async compare(steps: readonly Step[]): Promise<void> {
    await this.listeners.reset();
    await this.admin.flushall();
    const { memory, keyspace } = await freshMemory(this.redis.now());
    for (const step of steps) {
      const [real, modelled] = [await outcomeOf(this.redis, step), await outcomeOf(memory, step)];
      expect({ step: step.label, reply: modelled }).toEqual({ step: step.label, reply: real });
    }
    const real = normalizedState(lastingOf(await readRedis(this.admin)), this.redis.now());
    expect(normalizedState(lastingOf(readKeyspace(keyspace)), memory.now())).toEqual(real);
    expect(await memory.listeners.heard()).toEqual(await this.listeners.heard());
  }

  async stop(): Promise<void> {
    await this.redis.backend.close(200);
    this.listeners.close();
    this.admin.disconnect();
    await this.clocked.server.stop();
  }
}

/** The keys except the markers of requests, whose ids differ. */
const lastingOf = (data: RedisData): RedisData =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !name.startsWith(REQUEST_MARKER)));

/** As on a server, a key exists throughout the ms in which it ends. */
const LAST_MS = 1;

/** An empty memory whose clock stands at an instant. */
const freshMemory = async (instant: number): Promise<{ memory: Side; keyspace: Keyspace }> => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, rethrow);
  const server = new MemoryServer(scheduler, LAST_MS);
  await clock.advance(instant - server.now());
  const transport = memoryTransport(server, NO_TIMEOUT);
  transport.commands.timeoutFor = () => NO_TIMEOUT;
  const memory: Side = {
    backend: new RedisBackend(transport, { fencing: 'counter' }, scheduler),
    now: () => server.now(),
    pass: (ms) => clock.advance(ms),
    listeners: new MemoryListeners(server),
  };
  return { memory, keyspace: server.keyspace };
};
