import { Logger } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { LockService } from 'nest-redis-lock';
import { LockOpenTelemetryModule } from 'nest-redis-lock/opentelemetry';
import { LockPrometheusModule } from 'nest-redis-lock/prometheus';
import { Registry } from 'prom-client';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { RedisWorld } from '../kit/redis-world.js';
import { start } from '../nest/applications.js';
import { nonZero, type Sample, samplesOf } from './read-metrics.js';
import { Meters } from './read-open-telemetry.js';
import { OBSERVED_TYPES, Orders, Scenario } from './scenario.js';

const ORDER = 'reentrant order:<0>';

describe('A scripted scenario on a real server', () => {
  const world = new RedisWorld();
  const meters = new Meters();
  let app: TestingModule;
  let scenario: Scenario;
  let samples: readonly Sample[];
  let whileWaiting: readonly Sample[];

  beforeAll(async () => {
    // The loss is logged.
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    await world.start();
    const registry = new Registry();
    const clock = new ManualClock();
    const imports = [
      LockPrometheusModule.forRoot({ registry }),
      LockOpenTelemetryModule.forRoot({ meter: meters.provider.getMeter('test'), tracer: false }),
    ];
    app = await start({ providers: [Orders], imports }, { connection: world.server.url }, clock);
    const peer = await world.open();
    scenario = new Scenario(world, { orders: app.get(Orders), locks: app.get(LockService), clock }, peer.locks);
    await scenario.run(async () => {
      whileWaiting = await samplesOf(registry);
    });
    samples = await samplesOf(registry);
  });

  afterAll(async () => {
    await app.close();
    await world.reset();
    await world.stop();
  });

  const counted = (metric: string, when = samples): Readonly<Record<string, number>> =>
    nonZero(when, `nest_redis_lock_${metric}`);

  it('has each event as often as it happened', () => {
    const counts = OBSERVED_TYPES.map((type) => [type, scenario.events.filter((event) => event.type === type).length]);
    expect(Object.fromEntries(counts)).toEqual({
      waiting: 3,
      acquired: 11,
      're-entered': 1,
      renewed: 1,
      'renewal-failed': 1,
      'handed-over': 2,
      released: 8,
      'timed-out': 1,
      cancelled: 1,
      conflict: 1,
      failed: 1,
      lost: 1,
      'force-released': 1,
    });
  });

  it('has each counter of Prometheus exactly', () => {
    expect(counted('contention_total')).toEqual({ [ORDER]: 2, 'reentrant (none)': 1 });
    expect(counted('timeouts_total')).toEqual({ [ORDER]: 1 });
    expect(counted('conflicts_total')).toEqual({ [ORDER]: 1 });
    expect(counted('cancellations_total')).toEqual({ 'reentrant (none)': 1 });
    expect(counted('failures_total')).toEqual({ [ORDER]: 1 });
    expect(counted('losses_total')).toEqual({ [ORDER]: 1 });
    expect(counted('renewal_failures_total')).toEqual({ [ORDER]: 1 });
    expect(counted('handovers_total')).toEqual({ [`${ORDER} process`]: 1, [`${ORDER} server`]: 1 });
    expect(counted('releases_total')).toEqual({
      [ORDER]: 5,
      'fair (none)': 1,
      'semaphore (none)': 1,
      'permitExpirableSemaphore (none)': 1,
    });
  });

  it('has each duration of Prometheus, which are those of the events', () => {
    const ended = scenario.events.flatMap((event) => ('heldFor' in event ? [event] : []));
    const held = ended.filter(({ type, template }) => type !== 'renewed' && template !== undefined);
    const total = held.reduce((sum, { heldFor = 0 }) => sum + heldFor, 0) / 1000;
    // Of the order whose renewal failed, which was held for as long as the one that was renewed, and of the one that was lost.
    expect(total).toBeGreaterThan(20);
    expect(counted('hold_duration_seconds_sum')).toEqual({ [ORDER]: total });
    expect(counted('hold_duration_seconds_count')).toEqual({
      [ORDER]: 8,
      'fair (none)': 1,
      'permitExpirableSemaphore (none)': 1,
    });
    expect(counted('hold_duration_seconds_bucket')).toMatchObject({ [`${ORDER} 5`]: 5, [`${ORDER} +Inf`]: 8 });
    expect(counted('wait_duration_seconds_count')).toEqual({
      [ORDER]: 8,
      'fair (none)': 1,
      'semaphore (none)': 1,
      'permitExpirableSemaphore (none)': 1,
    });
  });

  it('has what is held and waited for at each moment', () => {
    expect(counted('held', whileWaiting)).toEqual({ [ORDER]: 1 });
    expect(counted('waiting', whileWaiting)).toEqual({ [ORDER]: 1 });
    expect(counted('held')).toEqual({});
    expect(counted('waiting')).toEqual({});
  });

  it('has the same numbers with OpenTelemetry, under the names that they get in Prometheus', async () => {
    const exact = (all: readonly Sample[]): readonly string[] =>
      all
        .map(({ name, labels, value }) => {
          const sorted = Object.entries(labels).toSorted(([one], [other]) => (one < other ? -1 : 1));
          return JSON.stringify([name, sorted, Number(value.toFixed(6))]);
        })
        .toSorted();
    expect(samples.length).toBeGreaterThan(100);
    expect(exact(await meters.samples())).toEqual(exact(samples));
  });
});
