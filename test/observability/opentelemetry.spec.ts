import { Injectable } from '@nestjs/common';
import { diag, type Histogram, type Meter, metrics } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Locked, LockOptionsError, LockShutdownError } from 'nest-redis-lock';
import { LockOpenTelemetryModule, observeLocks, type OpenTelemetryOptions } from 'nest-redis-lock/opentelemetry';
import { MemoryWorld } from '../kit/memory-world.js';
import { start } from '../nest/applications.js';
import { nonZero } from './read-metrics.js';
import { Meters } from './read-open-telemetry.js';

@Injectable()
class Orders {
  @Locked('order:<0>')
  async pay(_id: string): Promise<void> {}
}

describe('The metrics in OpenTelemetry', () => {
  const world = new MemoryWorld();
  afterEach(() => world.reset());

  it('are made by the registered SDK, and end with the returned function', async () => {
    const meters = new Meters();
    metrics.setGlobalMeterProvider(meters.provider);
    const { locks, runtime } = await world.open();
    const stop = observeLocks(locks, { tracer: false });
    await locks.withLock('a', () => {});
    expect(nonZero(await meters.samples(), 'nest_redis_lock_releases_total')).toEqual({ 'reentrant (none)': 1 });
    stop();
    expect(runtime.events.hears('acquired')).toBe(false);
    await locks.withLock('a', () => {});
    const after = await meters.samples();
    expect(nonZero(after, 'nest_redis_lock_hold_duration_seconds_count')).toEqual({ 'reentrant (none)': 1 });
    metrics.disable();
  });

  it('describe every instrument, with durations in seconds', async () => {
    const meters = new Meters();
    const { locks } = await world.open();
    observeLocks(locks, { meter: meters.provider.getMeter('test'), tracer: false });
    await locks.withLock('a', () => {});
    const described = (await meters.metrics()).map(({ descriptor: { name, unit, description } }) => {
      expect(description).toMatch(/^[A-Z].*\.$/);
      return [name, unit];
    });
    expect(Object.fromEntries(described)).toMatchObject({
      'nest_redis_lock.wait.duration': 's',
      'nest_redis_lock.watchdog.lag': 's',
      'nest_redis_lock.held': '1',
    });
    expect(described).toHaveLength(14);
  });

  it('change nothing if the meter throws: the error goes to diag', async () => {
    const errors: unknown[] = [];
    const log = { error: (_: string, error: unknown) => void errors.push(error) };
    diag.setLogger({ ...log, warn: () => {}, info: () => {}, debug: () => {}, verbose: () => {} });
    const broken = new Error('broken');
    const real = new Meters().provider.getMeter('test');
    const record = (): never => {
      throw broken;
    };
    const meter: Meter = Object.assign(Object.create(real) as Meter, {
      createHistogram: (): Histogram => ({ record }),
    });
    const { locks, events } = await world.open();
    observeLocks(locks, { meter, tracer: false });
    await expect(locks.withLock('a', () => 'done')).resolves.toBe('done');
    diag.disable();
    expect(errors).toEqual([broken, broken]);
    expect(events).toEqual([]);
  });

  it.each<[unknown, string]>([
    [{ meter: {} }, 'meter must be a Meter of @opentelemetry/api, or false, not'],
    [{ tracer: true }, 'tracer must be a Tracer of @opentelemetry/api, or false, not true'],
    [{ maxLabelSets: 1.5 }, 'maxLabelSets must be a whole number'],
    [{ registry: {} }, 'unknown option "registry" of observeLocks'],
  ])('refuse %j', async (options, message) => {
    const { locks } = await world.open();
    expect(() => observeLocks(locks, options as OpenTelemetryOptions)).toThrow(LockOptionsError);
    expect(() => observeLocks(locks, options as OpenTelemetryOptions)).toThrow(message);
  });
});

describe('LockOpenTelemetryModule', () => {
  it('observes from the start of the application to its end, by template', async () => {
    const exporter = new InMemorySpanExporter();
    const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('test');
    const meters = new Meters();
    const options = { tracer, meter: meters.provider.getMeter('test') };
    const app = await start({ providers: [Orders], imports: [LockOpenTelemetryModule.forRoot(options)] });
    const orders = app.get(Orders);
    await orders.pay('7');
    expect(exporter.getFinishedSpans()).toMatchObject([
      { name: 'acquire lock order:<0>', attributes: { 'nest_redis_lock.method': '@Locked Orders.pay' } },
      { name: 'hold lock order:<0>', attributes: { 'nest_redis_lock.template': 'order:<0>' } },
    ]);
    const samples = await meters.samples();
    expect(nonZero(samples, 'nest_redis_lock_releases_total')).toEqual({ 'reentrant order:<0>': 1 });
    await app.close();
    await expect(orders.pay('8')).rejects.toThrow(LockShutdownError);
    expect(exporter.getFinishedSpans()).toHaveLength(2);
    expect(nonZero(await meters.samples(), 'nest_redis_lock_cancellations_total')).toEqual({});
  });
});
