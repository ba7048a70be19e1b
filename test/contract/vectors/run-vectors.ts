import type { LockBackend } from '../../../lib/backend/lock-backend.js';
import { MemoryServer } from '../../../lib/backend/memory/memory-server.js';
import { memoryTransport } from '../../../lib/backend/memory/memory-transport.js';
import { RedisBackend } from '../../../lib/backend/redis-backend.js';
import { ManualClock } from '../../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../../lib/time/scheduler.js';
import type { ClientOptions } from '../../kit/client.js';
import { Recorder } from '../recorder.js';
import { RedisWorld } from '../../kit/redis-world.js';
import { expectReturned, expectState } from './expected.js';
import { arrangeKeyspace, readKeyspace } from './memory-data.js';
import { arrangeRedis, readRedis, type RedisData } from './redis-data.js';
import { allVectors, type Message, substitute, type Vector } from './vector.js';

/** The facts that an operation may use beside its arguments. */
export interface Situation {
  /** The start of the vector by the clock of the backend, ms. */
  readonly now: number;
  /** All keys before the operation. */
  readonly before: RedisData;
}

/** The arguments of one operation, in Redisson's terms: those of the vector, or Redisson's defaults. */
export interface Arguments {
  readonly name: string;
  readonly holder: string;
  readonly lease: number;
  readonly wait: number;
  readonly restoreLease: number;
  readonly timeout: number;
  readonly items: readonly (readonly [name: string, holders: string | readonly string[]])[];
  readonly permits: number;
  readonly ttl: number | undefined;
  readonly id: string;
  readonly ids: readonly string[];
  /** The deadline, ms since the epoch. */
  readonly deadline: number;
  readonly count: number;
  readonly fields: readonly string[];
}

const DEFAULTS = { lease: 30_000, wait: 300_000, restoreLease: 30_000 };

/** Executes an operation by our transitions, and returns the outcome in the terms of the vectors. */
export type Operation = (backend: LockBackend, args: Arguments, situation: Situation) => Promise<unknown>;

/** A difference that a peer can observe, where our protocol is deliberately stricter or simpler. */
export interface Difference {
  /** The part that differs, and the reason. It becomes part of the test's title. */
  readonly why: string;
  readonly setup?: Vector['setup'];
  readonly returns?: unknown;
  readonly state?: Vector['state'];
  readonly messages?: Vector['messages'];
}

export type Differences = Readonly<Record<string, Difference>>;

interface Case {
  readonly title: string;
  readonly vector: Vector;
}

/** @param prefixes The ids of the vectors without their numbers. */
const casesOf = (prefixes: readonly string[], differences: Differences): Case[] => {
  const chosen = allVectors.filter(({ id }) => prefixes.includes(id.replace(/\d+$/, '')));
  const unknown = Object.keys(differences).filter((id) => !chosen.some((vector) => vector.id === id));
  if (unknown.length > 0) throw new Error(`Differences of vectors that are not there: ${unknown.join(', ')}`);
  return chosen.map((vector) => {
    const difference = differences[vector.id];
    const { why, ...instead } = difference ?? { why: '' };
    const title = `${vector.id} ${vector.title}${why === '' ? '' : ` [differs: ${why}]`}`;
    return { title, vector: { ...vector, ...instead } };
  });
};

const perform = async (
  operations: Readonly<Record<string, Operation>>,
  vector: Vector,
  backend: LockBackend,
  situation: Situation,
): Promise<unknown> => {
  const [[name, args] = ['', {}]] = Object.entries(vector.op);
  const operation = operations[name];
  if (!operation) throw new Error(`Nobody says how ${name} is done`);
  // The vectors are data. They give every argument that their operation needs.
  const given = { ...DEFAULTS, ...substitute(args, situation.now) } as unknown as Arguments;
  return operation(backend, given, situation);
};

const expectMessages = (heard: readonly unknown[], expected: readonly unknown[], { messagesOptional }: Vector): void =>
  expect(heard).toEqual(messagesOptional === true && heard.length === 0 ? [] : expected);

/** Replaces payloads by the ranges that they are expected in. */
const inRanges = (heard: readonly (readonly [string, string])[], expected: readonly Message[]): readonly Message[] =>
  heard.map(([channel, payload], index) => {
    const [, range] = expected[index] ?? [];
    const isWithin = typeof range === 'object' && Number(payload) >= range[0] && Number(payload) <= range[1];
    return [channel, isWithin ? range : payload];
  });

/** Runs the vectors on Redis and in memory, byte for byte. */
export const describeVectors = (
  prefixes: readonly string[],
  operations: Readonly<Record<string, Operation>>,
  differences: Differences = {},
  options: ClientOptions = {},
): void => {
  const cases = casesOf(prefixes, differences);

  describe('The conformance vectors on Redis', () => {
    const redis = new RedisWorld();
    beforeAll(() => redis.start());
    afterEach(() => redis.reset());
    afterAll(() => redis.stop());

    it.each(cases)('$title', async ({ vector: spelled }) => {
      const { backend } = (await redis.open(options)).runtime;
      const recorder = await Recorder.listenTo(redis.server.url);
      redis.onReset(async () => recorder.close());
      const now = Date.now();
      const vector = substitute(spelled, now);
      await arrangeRedis(redis.admin, vector.setup);
      const before = await readRedis(redis.admin);
      const returned = await perform(operations, spelled, backend, { now, before });
      expectState(await readRedis(redis.admin), vector, now);
      expectReturned(returned, vector, now);
      expectMessages(inRanges(await recorder.messages(), vector.messages), vector.messages, vector);
    });
  });

  describe('The conformance vectors in memory', () => {
    it.each(cases)('$title', async ({ vector: spelled }) => {
      const scheduler = new MonotonicScheduler(new ManualClock(), (error) => {
        throw error;
      });
      const server = new MemoryServer(scheduler);
      const { keyspace } = server;
      const heard: [string, string][] = [];
      keyspace.publish = (...message) => heard.push(message);
      const now = server.now();
      const vector = substitute(spelled, now);
      arrangeKeyspace(keyspace, vector.setup);
      const before = readKeyspace(keyspace);
      const transport = memoryTransport(server, 1000);
      const backend = new RedisBackend(transport, { fencing: options.fencing ?? 'clock' }, scheduler);
      const returned = await perform(operations, spelled, backend, { now, before });
      expectState(readKeyspace(keyspace), vector, now);
      expectReturned(returned, vector, now);
      expectMessages(inRanges(heard, vector.messages), vector.messages, vector);
    });
  });
};
