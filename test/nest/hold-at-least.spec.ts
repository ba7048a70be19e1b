import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockOptionsError, LockService } from 'nest-redis-lock';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { thrownBy } from '../kit/caught.js';
import { start } from './applications.js';

@Injectable()
class Reports {
  runs = 0;

  @Locked('nightly', { onConflict: 'skip', holdAtLeast: '50s' })
  async nightly(): Promise<void> {
    this.runs += 1;
  }

  @Locked('of:<0>', { onConflict: 'skip', holdAtLeast: '50s' })
  async ofAll(_stores: readonly string[]): Promise<void> {
    this.runs += 1;
  }

  @Locked('failing', { onConflict: 'skip', holdAtLeast: '50s' })
  async failing(): Promise<void> {
    this.runs += 1;
    throw new Error('no paper');
  }
}

describe('@Locked with holdAtLeast', () => {
  let clock: ManualClock;
  let app: TestingModule;
  let reports: Reports;
  let locks: LockService;

  beforeEach(async () => {
    clock = new ManualClock();
    app = await start({ providers: [Reports] }, { connection: 'memory' }, clock);
    reports = app.get(Reports);
    locks = app.get(LockService);
  });

  afterEach(async () => {
    await app.close();
    expect(clock.pending).toBe(0);
  });

  it('runs once for all calls within that time, and does not delay the first one', async () => {
    await Promise.all([reports.nightly(), reports.nightly()]);
    await clock.advance(49_000);
    await reports.nightly();
    expect(reports.runs).toBe(1);
    await clock.advance(1000);
    await reports.nightly();
    expect(reports.runs).toBe(2);
  });

  it('holds every lock of a list', async () => {
    await reports.ofAll(['north', 'south']);
    for (const name of ['of:north', 'of:south']) {
      await clock.advance(1);
      expect(await locks.getLock(name).remainingLease()).toBeGreaterThan(49_000);
    }
  });

  it('holds it also if the method fails', async () => {
    await expect(reports.failing()).rejects.toThrow('no paper');
    await reports.failing();
    expect(reports.runs).toBe(1);
  });

  it('is no option for permits, nor for longer than the lease, and takes a duration', () => {
    const decorate = (options: object) => () => Locked('n', options);
    const contradictions: readonly [options: object, text: string][] = [
      [{ permits: 1, holdAtLeast: '1s' }, 'permits and holdAtLeast'],
      [{ lease: '10s', holdAtLeast: '11s' }, 'holdAtLeast and lease'],
      [{ holdAtLeast: 'soon' }, '"soon"'],
      [{ holdAtLeast: 0 }, 'holdAtLeast must be'],
    ];
    for (const [options, text] of contradictions) {
      expect(thrownBy(decorate(options), LockOptionsError).message).toContain(text);
    }
  });
});
