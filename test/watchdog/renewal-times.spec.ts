import { isWorthRenewing, lastRenewalWithin, renewalPeriod, retryPause } from '../../lib/watchdog/renewal-schedules.js';

const TIMEOUT = 30_000;

describe('The times of renewals', () => {
  afterEach(() => jest.restoreAllMocks());

  it('are a third of the timeout from one renewal to the next, and two thirds before the end of a hold at the last', () => {
    expect(renewalPeriod(TIMEOUT)).toBe(10_000);
    expect(lastRenewalWithin(TIMEOUT)).toBeCloseTo(20_000, 6);
  });

  it.each([
    { neededLease: 30_000, remaining: 29_000, isWorth: true, why: 'it lasts beyond the next two rounds' },
    { neededLease: 20_001, remaining: 20_001, isWorth: true, why: 'it lasts beyond the next two rounds' },
    { neededLease: 19_999, remaining: 19_999, isWorth: false, why: 'its lease is as long as it needs' },
    { neededLease: 19_999, remaining: 15_000, isWorth: false, why: 'its lease lacks less than a sixth of the timeout' },
    { neededLease: 19_999, remaining: 14_998, isWorth: true, why: 'its lease lacks more than a sixth of the timeout' },
    { neededLease: 4000, remaining: 0, isWorth: false, why: 'its lease lacks less than a sixth of the timeout' },
  ])('decide on a hold that needs $neededLease ms and has $remaining ms: $isWorth, since $why', (row) => {
    const { neededLease, remaining, isWorth } = row;
    expect(isWorthRenewing({ neededLease, lease: { remaining } }, TIMEOUT)).toBe(isWorth);
  });

  it.each([
    { left: [29_000], pause: 2000 },
    { left: [29_000, 6000], pause: 1500 },
    { left: [6000, 0], pause: 1500 },
    { left: [100], pause: 200 },
    { left: [0], pause: 2000 },
  ])('put $pause ms on average before a retry for leases of $left ms', ({ left, pause }) => {
    const holds = left.map((remaining) => ({ lease: { remaining } }));
    for (const [random, share] of [
      [0, 0.5],
      [0.5, 1],
      [0.999, 1.499],
    ] as const) {
      jest.spyOn(Math, 'random').mockReturnValueOnce(random);
      expect(retryPause(holds, TIMEOUT)).toBeCloseTo(pause * share, 6);
    }
  });
});
