import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { BlockableLoop } from './blockable-loop.js';
import { Lease, LeaseCommand, type LossReason, safeDuration } from '../../lib/watchdog/lease.js';
import { SharedTimes } from '../../lib/watchdog/worker/shared-times.js';
import { WorkerRenewals } from '../../lib/watchdog/worker/worker-renewals.js';

const LEASE = 9000;
const SAFE = safeDuration(LEASE);

/** A loop beside a wall clock, which goes on while the machine is suspended. */
class SuspendableLoop extends BlockableLoop {
  private suspended = 0;

  wallNow(): number {
    return this.now() + this.suspended;
  }

  suspend(ms: number): void {
    this.suspended += ms;
  }
}

/** A lease of the main thread, and what the worker writes of its renewals. */
class RenewedLease {
  readonly clock = new SuspendableLoop();
  readonly scheduler = new MonotonicScheduler(this.clock, (error) => {
    throw error;
  });
  readonly losses: LossReason[] = [];
  readonly times = new SharedTimes();
  readonly lease: Lease;

  constructor(granted = LEASE) {
    this.clock.block(1000);
    this.lease = new Lease(this.scheduler, new Stopwatch(this.scheduler), granted, {
      onLost: (reason) => void this.losses.push(reason),
    });
    this.lease.renewedByOthers(new WorkerRenewals(this.times, this.scheduler, () => this.now));
  }

  get now(): number {
    return this.scheduler.now();
  }

  /** Time passes, but no timer of the main thread fires. */
  stand(ms: number): void {
    this.clock.block(ms);
  }

  /** The worker sends a renewal. Returns what confirms it. */
  renew(lease = LEASE): () => void {
    const { now } = this;
    this.times.request(lease, now, now + 2000);
    return () => this.times.confirm(now, this.scheduler.wallNow() ?? 0, this.now);
  }
}

describe('A lease that a worker renews while the event loop stands', () => {
  it('lasts from the last renewal that was confirmed', () => {
    const renewed = new RenewedLease();
    renewed.stand(6000);
    renewed.renew()();
    renewed.stand(5000);
    expect(renewed.lease.remaining).toBeCloseTo(SAFE - 5000);
    expect(renewed.lease.isAlive).toBe(true);
    renewed.stand(SAFE - 5000);
    expect(renewed.lease.isAlive).toBe(false);
    expect(renewed.losses).toEqual(['lease-over']);
  });

  it('is not prolonged by a renewal without a reply, but may last longer on the server', () => {
    const renewed = new RenewedLease();
    renewed.stand(6000);
    renewed.renew();
    expect(renewed.lease.remaining).toBeCloseTo(SAFE - 6000);
    expect(renewed.lease.remainingOnServer).toBeCloseTo(LEASE);
  });

  it('is gone by its own deadline, once the server has told the worker so', () => {
    const renewed = new RenewedLease();
    renewed.stand(6000);
    renewed.renew()();
    renewed.times.setGone();
    expect(renewed.lease.remaining).toBeCloseTo(SAFE - 6000);
    renewed.stand(4000);
    expect(renewed.lease.isAlive).toBe(false);
    expect(renewed.losses).toEqual(['gone']);
  });

  it('outlasts the late reply to a renewal of the main thread that was on its way when the loop stood', () => {
    const renewed = new RenewedLease();
    const since = new Stopwatch(renewed.scheduler);
    const command = new LeaseCommand(since, LEASE);
    renewed.lease.request(command);
    for (let at = 0; at < 20_000; at += 3000) {
      renewed.stand(3000);
      renewed.renew()();
    }
    renewed.lease.granted(command, since);
    expect(renewed.lease.remaining).toBeCloseTo(SAFE);
    expect(renewed.losses).toEqual([]);
  });

  it('counts with a shorter lease that the main thread has asked for: the server may have set it last', () => {
    const renewed = new RenewedLease();
    renewed.lease.request(new LeaseCommand(new Stopwatch(renewed.scheduler), 2000));
    renewed.stand(1000);
    renewed.renew()();
    expect(renewed.lease.remaining).toBeCloseTo(safeDuration(2000));
  });

  it('counts with the shorter lease of a renewal that may still take effect after a command of the main thread', () => {
    const renewed = new RenewedLease();
    renewed.stand(3000);
    const confirm = renewed.renew();
    const since = new Stopwatch(renewed.scheduler);
    const command = new LeaseCommand(since, 60_000);
    renewed.lease.request(command);
    renewed.lease.granted(command, since);
    expect(renewed.lease.remaining).toBeCloseTo(SAFE);
    confirm();
    // Which of the two the server has executed last stays unknown, until the next command.
    renewed.stand(10);
    const next = new Stopwatch(renewed.scheduler);
    const later = new LeaseCommand(next, 60_000);
    renewed.lease.request(later);
    renewed.lease.granted(later, next);
    expect(renewed.lease.remaining).toBeCloseTo(safeDuration(60_000));
  });

  it('ends by the wall clock as well, which counts while the machine is suspended', () => {
    const renewed = new RenewedLease();
    renewed.stand(3000);
    renewed.renew()();
    renewed.clock.suspend(10_000);
    expect(renewed.lease.isAlive).toBe(false);
  });
});
