import { Injectable, Logger } from '@nestjs/common';
import { Locked, LockOptionsError, LockService } from 'nest-redis-lock';
import { collectLockMetrics, LockPrometheusModule, type PrometheusOptions } from 'nest-redis-lock/prometheus';
import { type OpenMetricsContentType, register, Registry } from 'prom-client';
import { MemoryWorld } from '../kit/memory-world.js';
import { start } from '../nest/applications.js';
import { nonZero, samplesOf } from './read-metrics.js';

@Injectable()
class Orders {
  @Locked('order:<0>')
  async pay(_id: string): Promise<void> {}
}

describe('The metrics in Prometheus', () => {
  const world = new MemoryWorld();
  afterEach(() => world.reset());

  it('have as many label sets with 100,000 names as with one', async () => {
    const { locks, runtime } = await world.open();
    const registry = new Registry();
    collectLockMetrics(locks, { registry });
    const lock = { connection: 'default', kind: 'reentrant', template: undefined, method: undefined } as const;
    for (let index = 0; index < 100_000; index += 1)
      runtime.events.emit({ type: 'conflict', ...lock, lockName: `order:${index}` });
    const samples = await samplesOf(registry);
    expect(nonZero(samples, 'nest_redis_lock_conflicts_total')).toEqual({ 'reentrant (none)': 100_000 });
    expect(samples.filter(({ name }) => name === 'nest_redis_lock_conflicts_total')).toHaveLength(1);
    expect(await registry.metrics()).not.toContain('order:');
  });

  it('have at most maxLabelSets of templates, beside one for all others', async () => {
    const { locks, runtime } = await world.open();
    const registry = new Registry();
    collectLockMetrics(locks, { registry, maxLabelSets: 2 });
    const lock = { connection: 'default', kind: 'fair', method: undefined, lockName: 'n' } as const;
    for (let index = 0; index < 10; index += 1)
      runtime.events.emit({ type: 'conflict', ...lock, template: `${index}:<0>` });
    expect(nonZero(await samplesOf(registry), 'nest_redis_lock_conflicts_total')).toEqual({
      'fair 0:<0>': 1,
      'fair 1:<0>': 1,
      'fair (other)': 8,
    });
  });

  it('have their own prefix, in the format OpenMetrics as well', async () => {
    const { locks } = await world.open();
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectLockMetrics(locks, { registry, prefix: 'shop_lock_' });
    await locks.withLock('a', () => {});
    const text = await registry.metrics();
    expect(text).toContain('shop_lock_releases_total{connection="default",kind="reentrant",template="(none)"} 1\n');
    expect(text).toContain(
      'shop_lock_hold_duration_seconds_bucket{le="+Inf",connection="default",kind="reentrant",template="(none)"} 1\n',
    );
    expect(text).toMatch(/# EOF\n$/);
  });

  it('are those of one connection for its service', async () => {
    const { locks } = await world.open();
    const registry = new Registry();
    collectLockMetrics(locks.forConnection('default'), { registry });
    await locks.withLock('a', () => {});
    expect(nonZero(await samplesOf(registry), 'nest_redis_lock_releases_total')).toEqual({ 'reentrant (none)': 1 });
  });

  it('end with the returned function, which leaves the registry as it was', async () => {
    const { locks, runtime } = await world.open();
    const registry = new Registry();
    const stop = collectLockMetrics(locks, { registry });
    expect(() => collectLockMetrics(locks, { registry })).toThrow(LockOptionsError);
    expect(() => collectLockMetrics(locks, { registry })).toThrow(
      'registry has a metric named "nest_redis_lock_wait_duration_seconds" already',
    );
    await locks.withLock('a', () => {});
    expect(nonZero(await samplesOf(registry), 'nest_redis_lock_releases_total')).toEqual({ 'reentrant (none)': 1 });
    stop();
    expect(registry.getMetricsAsArray()).toEqual([]);
    expect(runtime.events.hears('acquired')).toBe(false);
    collectLockMetrics(locks, { registry })();
  });

  it('change nothing if the registry throws, and leave nothing behind', async () => {
    const { locks, runtime } = await world.open();
    const registry = new Registry();
    jest.spyOn(registry, 'registerMetric').mockImplementation(() => {
      throw new Error('closed');
    });
    expect(() => collectLockMetrics(locks, { registry })).toThrow('closed');
    expect(runtime.events.hears('acquired')).toBe(false);
    await expect(locks.withLock('a', () => 'done')).resolves.toBe('done');
  });

  it.each<[unknown, string]>([
    [{ registry: {} }, 'registry must be a Registry of prom-client, not'],
    [{ prefix: '9' }, 'prefix must be the beginning of a metric name'],
    [{ maxLabelSets: 0 }, 'maxLabelSets must be a whole number from 1 to 100000, not 0'],
    [{ buckets: [1] }, 'unknown option "buckets" of collectLockMetrics'],
  ])('refuse %j', async (options, message) => {
    const { locks } = await world.open();
    expect(() => collectLockMetrics(locks, options as PrometheusOptions)).toThrow(LockOptionsError);
    expect(() => collectLockMetrics(locks, options as PrometheusOptions)).toThrow(message);
  });
});

describe('LockPrometheusModule', () => {
  it('counts in the global registry from the start of the application to its end', async () => {
    const app = await start({ providers: [Orders], imports: [LockPrometheusModule.forRoot()] });
    await app.get(Orders).pay('7');
    expect(nonZero(await samplesOf(register), 'nest_redis_lock_releases_total')).toEqual({ 'reentrant order:<0>': 1 });
    await app.close();
    expect(register.getMetricsAsArray()).toEqual([]);
  });

  it('takes its options from a factory', async () => {
    const registry = new Registry();
    const app = await start({
      imports: [LockPrometheusModule.forRootAsync({ useFactory: () => ({ registry, prefix: 'shop_' }) })],
    });
    await app.get(LockService).withLock('a', () => {});
    expect(nonZero(await samplesOf(registry), 'shop_releases_total')).toEqual({ 'reentrant (none)': 1 });
    await app.close();
  });

  describe('D59: in a registry', () => {
    const warned = () => jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
    afterEach(() => jest.restoreAllMocks());

    it('takes the place of one whose application failed to start', async () => {
      class Failing {
        constructor() {
          throw new Error('no configuration');
        }
      }
      const warn = warned();
      const registry = new Registry();
      const imports = [LockPrometheusModule.forRoot({ registry })];
      await expect(start({ imports, providers: [Failing] })).rejects.toThrow('no configuration');
      const app = await start({ imports });
      await app.get(LockService).withLock('a', () => {});
      expect(nonZero(await samplesOf(registry), 'nest_redis_lock_releases_total')).toEqual({ 'reentrant (none)': 1 });
      expect(warn).not.toHaveBeenCalled();
      await app.close();
      expect(registry.getMetricsAsArray()).toEqual([]);
    });

    it('takes the place of one whose application was not closed, and says so; its late end changes nothing', async () => {
      const warn = warned();
      const registry = new Registry();
      const imports = [LockPrometheusModule.forRoot({ registry })];
      const first = await start({ imports });
      const second = await start({ imports });
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('of an application that was not closed are replaced'));
      await first.close();
      await second.get(LockService).withLock('a', () => {});
      expect(nonZero(await samplesOf(registry), 'nest_redis_lock_releases_total')).toEqual({ 'reentrant (none)': 1 });
      await second.close();
    });

    it('leaves the metrics of another prefix', async () => {
      const warn = warned();
      const registry = new Registry();
      const first = await start({ imports: [LockPrometheusModule.forRoot({ registry })] });
      const second = await start({ imports: [LockPrometheusModule.forRoot({ registry, prefix: 'shop_' })] });
      const names = registry.getMetricsAsArray().map(({ name }) => name);
      expect(names.filter((name) => name.endsWith('releases_total'))).toEqual([
        'nest_redis_lock_releases_total',
        'shop_releases_total',
      ]);
      expect(warn).not.toHaveBeenCalled();
      await first.close();
      await second.close();
    });
  });
});
