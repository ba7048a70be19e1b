import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, type LockedOptions, LockOptionsError, LockService } from 'nest-redis-lock';
import { thrownBy } from '../kit/caught.js';
import { until } from '../kit/until.js';
import { applicationBackends } from './application-backends.js';

@Injectable()
class Reports {
  /** The reports being made now. */
  readonly now = new Set<number>();
  /** The largest number of reports made at once. */
  peak = 0;
  /** Settles when they may end. */
  stay: Promise<unknown> = turnOfTheLoop();

  constructor(private readonly locks: LockService) {}

  @Locked('tenant:<0>', { limit: 3 })
  async make(_tenant: string, report: number): Promise<number> {
    this.now.add(report);
    this.peak = Math.max(this.peak, this.now.size);
    await this.stay;
    this.now.delete(report);
    return report;
  }

  @Locked('tenant:<0>', { limit: 1 })
  async makeAll(tenant: string): Promise<number> {
    return this.make(tenant, 7);
  }

  @Locked('tenant:<0>', { limit: 1, onConflict: 'skip' })
  async tryToMake(_tenants: readonly string[]): Promise<string | undefined> {
    return this.locks.currentHold()?.name;
  }

  @Locked('tenant:<0>', { limit: 1, holdAtLeast: '1s' })
  async start(_tenant: string): Promise<void> {}
}

describe.each(applicationBackends)('@Locked with a limit %s', (_, openBackend) => {
  const backend = openBackend();
  let app: TestingModule;
  let reports: Reports;
  let locks: LockService;

  beforeAll(() => backend.open());
  afterAll(() => backend.close());

  beforeEach(async () => {
    app = await backend.application({ providers: [Reports] });
    reports = app.get(Reports);
    locks = app.get(LockService);
  });

  afterEach(() => app.close());

  it('runs as many calls at once as it says', async () => {
    const numbers = Array.from({ length: 20 }, (__, index) => index);
    let end = (): void => {};
    reports.stay = new Promise<void>((resolve) => (end = resolve));
    const made = Promise.all(numbers.map((number) => reports.make('a', number)));
    await until(() => reports.now.size === 3);
    end();
    await expect(made).resolves.toEqual(numbers);
    expect(reports.peak).toBe(3);
  });

  it('uses the permit of the outer call', async () => {
    await expect(reports.makeAll('b')).resolves.toBe(7);
  });

  it('takes a permit of every name of a list, or of none', async () => {
    let leave = (): void => {};
    const stays = new Promise<void>((resolve) => (leave = resolve));
    let isInside = false;
    const inside = locks.withLock('tenant:d', { limit: 1 }, () => {
      isInside = true;
      return stays;
    });
    await until(() => isInside);
    await expect(reports.tryToMake(['c', 'd'])).resolves.toBeUndefined();
    await expect(locks.withLock('tenant:c', { limit: 1, wait: 0 }, () => 'free')).resolves.toBe('free');
    leave();
    await inside;
    await expect(reports.tryToMake(['c', 'd'])).resolves.toBe('tenant:c, tenant:d');
  });

  it('keeps the permit for `holdAtLeast`', async () => {
    await reports.start('e');
    await expect(reports.tryToMake(['e'])).resolves.toBeUndefined();
    await locks.withLock('tenant:e', { limit: 1, wait: '5s' }, () => {});
  });
});

describe('@Locked refuses when it is applied', () => {
  const refused = (options: object): LockOptionsError =>
    thrownBy(() => Locked('order:<0>', options as LockedOptions), LockOptionsError);

  it.each([0, -1, 1.5, Number.NaN, 2 ** 31, '2', null])('a limit of %p', (limit) => {
    const error = refused({ limit });
    expect(error.message).toContain('limit must be a whole number from 1 to 2147483647');
    expect(error.details).toEqual({ option: 'limit', value: limit });
  });

  it.each(['kind', 'mode', 'preference', 'fenced'])('a limit with %s', (other) => {
    expect(refused({ limit: 1, [other]: false }).message).toContain(`limit and ${other} contradict each other`);
  });

  it.each(['yes', 1, null])('a limit that is fair by %p', (fair) => {
    expect(refused({ limit: 1, fair }).details).toEqual({ option: 'fair', value: fair });
  });

  it('a limit with permits', () => {
    expect(refused({ limit: 1, permits: 1 }).message).toContain('permits and limit contradict each other');
  });
});
