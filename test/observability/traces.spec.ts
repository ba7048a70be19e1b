import { context, diag, type Span, SpanStatusCode, trace, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { type LockService, LockTimeoutError } from 'nest-redis-lock';
import { observeLocks } from 'nest-redis-lock/opentelemetry';
import { onEveryBackend } from '../kit/every-backend.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('test');

beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
afterAll(() => context.disable());

/** The spans that have ended, but for those of the callers. */
const spans = (): readonly ReadableSpan[] =>
  exporter.getFinishedSpans().filter(({ name }) => !name.startsWith('request'));

/** Runs `work` in a span, as a framework runs a request. */
const request = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  tracer.startActiveSpan(`request ${name}`, async (span: Span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });

const requestSpan = (name: string): ReadableSpan | undefined =>
  exporter.getFinishedSpans().find((span) => span.name === `request ${name}`);

onEveryBackend((world) => {
  describe('The spans of a lock', () => {
    let stop: () => void = () => {};
    const observe = (locks: LockService, by: Tracer = tracer): void => {
      stop = observeLocks(locks, { meter: false, tracer: by });
    };

    afterEach(() => {
      stop();
      exporter.reset();
    });

    it('are one for the acquisition and one for the hold, children of the caller', async () => {
      const { locks } = await world.open();
      observe(locks);
      await request('a', () => locks.withLock('secret', () => {}));
      const parent = requestSpan('a')?.spanContext();
      expect(spans()).toMatchObject([
        { name: 'acquire lock', parentSpanContext: parent, status: { code: SpanStatusCode.UNSET } },
        { name: 'hold lock', parentSpanContext: parent, status: { code: SpanStatusCode.UNSET } },
      ]);
      const [acquired, held] = spans();
      expect(acquired?.attributes).toEqual({
        'nest_redis_lock.connection': 'default',
        'nest_redis_lock.kind': 'reentrant',
        'nest_redis_lock.contended': false,
        'nest_redis_lock.reentry': false,
        'nest_redis_lock.owner': held?.attributes['nest_redis_lock.owner'],
      });
      expect(held?.links).toMatchObject([{ context: acquired?.spanContext() }]);
      expect(JSON.stringify(spans().map(({ name, attributes }) => [name, attributes]))).not.toContain('secret');
    });

    it('belong to the caller that waited, and not to the one that released', async () => {
      const { locks } = await world.open();
      observe(locks);
      const gate = new Gate();
      const first = request('first', () => locks.withLock('a', () => gate.pass()));
      await gate.reached;
      const second = request('second', () => locks.withLock('a', () => {}));
      await until(() => locks.stats().waiting === 1);
      gate.open();
      await Promise.all([first, second]);
      const parents = ['first', 'second'].map((name) => requestSpan(name)?.spanContext().spanId);
      const parentsOf = (name: string) =>
        spans().flatMap((span) => (span.name === name ? [span.parentSpanContext?.spanId] : []));
      expect(parentsOf('acquire lock')).toEqual(parents);
      expect(parentsOf('hold lock')).toEqual(parents);
      expect(spans().map(({ attributes }) => attributes['nest_redis_lock.contended'])).toContain(true);
    });

    it('tell why a lock was not acquired: only what is unexpected is an error', async () => {
      const [{ locks: holder }, { locks }] = [await world.open(), await world.open()];
      const hold = await holder.acquire('a');
      observe(locks);
      await expect(locks.tryAcquire('a')).resolves.toBeNull();
      await expect(world.time.finish(locks.acquire('a', { wait: 20 }), 5000)).rejects.toThrow(LockTimeoutError);
      await hold.release();
      expect(spans()).toMatchObject([
        // D63: not free at once, although nobody waited.
        {
          attributes: { 'error.type': 'LockConflictError', 'nest_redis_lock.contended': true },
          status: { code: SpanStatusCode.UNSET },
          events: [],
        },
        {
          attributes: { 'error.type': 'LockTimeoutError' },
          status: { code: SpanStatusCode.ERROR },
          events: [{ name: 'exception' }],
        },
      ]);
    });

    it('tell that a lock was lost', async () => {
      const { locks } = await world.open();
      observe(locks);
      const hold = await locks.acquire('a');
      await world.probe.remove(hold.name);
      await expect(hold.release()).resolves.toBe('expired');
      expect(spans()).toMatchObject([
        { name: 'acquire lock' },
        { name: 'hold lock', attributes: { 'error.type': 'LockLostError' }, status: { code: SpanStatusCode.ERROR } },
      ]);
    });

    it('end with the observation, and are made by one tracer only', async () => {
      const { locks } = await world.open();
      const stops = [tracer, tracer].map((each) => observeLocks(locks, { meter: false, tracer: each }));
      const hold = await locks.acquire('a');
      for (const each of stops) each();
      expect(spans().map(({ name }) => name)).toEqual(['acquire lock', 'hold lock']);
      await hold.release();
      await locks.withLock('a', () => {});
      expect(spans()).toHaveLength(2);
    });

    it('change nothing if the tracer throws', async () => {
      const errors: unknown[] = [];
      const log = { error: (_: string, error: unknown) => void errors.push(error) };
      diag.setLogger({ ...log, warn: () => {}, info: () => {}, debug: () => {}, verbose: () => {} });
      const { locks } = await world.open();
      const broken = new Error('broken');
      const startSpan = (): never => {
        throw broken;
      };
      observe(locks, { startSpan, startActiveSpan: startSpan });
      await expect(locks.withLock('a', () => 'done')).resolves.toBe('done');
      diag.disable();
      expect(errors).toEqual([broken, broken]);
      expect(trace.getActiveSpan()).toBeUndefined();
    });
  });
});
