import type { RenewOutcome } from '../../lib/backend/lock-operations.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { LockEvents } from '../../lib/events/lock-events.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { Lease } from '../../lib/watchdog/lease.js';
import type { Watched } from '../../lib/watchdog/renewal-schedules.js';
import { Watchdog } from '../../lib/watchdog/watchdog.js';
import { BlockableLoop } from '../watchdog/blockable-loop.js';
import { fieldsOfHold } from '../watchdog/fields-of-hold.js';

const TIMEOUT = 3000;
const PERIOD = TIMEOUT / 3;
const COMMAND_TIMEOUT = 750;
const LATENCY = 10;

const holdsOf = (
  operations: Watched['operations'],
  scheduler: MonotonicScheduler,
  count: number,
  onLost: (name: string) => void,
): Watched[] =>
  Array.from({ length: count }, (_, index) => ({
    operations,
    name: `n${index}`,
    owner: 'me:1',
    method: undefined,
    heldFor: 0,
    eventFields: fieldsOfHold(`n${index}`),
    loss: undefined,
    lease: new Lease(scheduler, new Stopwatch(scheduler), TIMEOUT, { onLost: () => onLost(`n${index}`) }),
    neededLease: TIMEOUT,
    renewedLease: TIMEOUT,
    isEnding: false,
    keptFor: Number.POSITIVE_INFINITY,
    isRenewed: true,
    isBusy: false,
    verify: async () => {},
    checkAge: () => {},
    onRenewed: () => {},
  }));

/** Many holds on a server that keeps them all and answers at once. A busy event loop may get its answers late. */
class World {
  readonly loop = new BlockableLoop();
  /** The instants at which renewals were sent. */
  readonly sent: number[] = [];
  readonly lost: string[] = [];
  /**
   * The end of the time in which the server refuses every command, and the end of the time in which it answers none.
   */
  refusesUntil = 0;
  silentUntil = 0;
  private readonly scheduler = new MonotonicScheduler(this.loop, () => {});
  private readonly operations = { renew: (renewals: readonly unknown[]) => this.renew(renewals.length) };
  readonly watchdog = new Watchdog(this.scheduler, new LockEvents(), TIMEOUT);
  readonly holds: readonly Watched[];

  /** @param cost The time for which a renewal blocks the event loop, ms. */
  constructor(
    private readonly cost = 0,
    count = 10_000,
  ) {
    this.holds = holdsOf(this.operations, this.scheduler, count, (name) => this.lost.push(name));
    for (const hold of this.holds) this.watchdog.watch(hold);
  }

  private async renew(count: number): Promise<RenewOutcome> {
    const sent = new Stopwatch(this.scheduler);
    this.sent.push(sent.startedAt);
    this.loop.block(this.cost);
    await this.scheduler.pause(sent.startedAt < this.silentUntil ? COMMAND_TIMEOUT + 1 : LATENCY);
    if (sent.startedAt < this.refusesUntil) throw new LockUnavailableError('Refused', 'refused', false);
    if (sent.elapsed > COMMAND_TIMEOUT) throw new LockUnavailableError('No answer', 'unknown', false);
    return { sent, held: Array.from({ length: count }, () => true) };
  }
}

describe('The watchdog of many holds', () => {
  it('WD-16 spreads their renewals over its period', async () => {
    const world = new World();
    await world.loop.pass(3 * PERIOD);
    const pauses = world.sent.slice(1).map((sent, index) => sent - (world.sent[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThan((0.9 * PERIOD) / 20);
    expect(Math.max(...pauses)).toBeLessThan((1.1 * PERIOD) / 20);
    const least = Math.min(...world.holds.map(({ lease }) => lease.remaining));
    expect(least).toBeGreaterThan(0.98 * TIMEOUT - 20 - PERIOD - LATENCY - 1);
    expect(world.lost).toEqual([]);
  });

  it.each([0, 5, 345, 990])(
    'WD-17 keeps them behind an event loop that is slow and was blocked (at %p)',
    async (at) => {
      const world = new World(20);
      await world.loop.pass(2 * PERIOD + at);
      world.loop.block(1700);
      await world.loop.pass(2 * PERIOD);
      expect(world.lost).toEqual([]);
    },
  );

  it('WD-18 keeps them if the server comes back shortly before their end', async () => {
    const world = new World(0, 2000);
    await world.loop.pass(2 * PERIOD);
    const lastRenewal = world.sent.findLast((sent) => sent <= world.loop.now() - PERIOD) ?? 0;
    world.refusesUntil = lastRenewal + 0.98 * TIMEOUT - 20 - 70;
    await world.loop.pass(3 * PERIOD);
    expect(world.lost).toEqual([]);
  });

  it('WD-19 asks a silent server again as soon as a renewal has waited in vain', async () => {
    const world = new World(0, 500);
    world.silentUntil = 2 * PERIOD + 400;
    await world.loop.pass(3 * PERIOD);
    const [first = 0, second = 0] = world.sent;
    expect(second - first).toBeLessThanOrEqual(COMMAND_TIMEOUT + 2);
    expect(world.lost).toEqual([]);
  });
});
