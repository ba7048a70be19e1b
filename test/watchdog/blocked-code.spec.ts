import { LockEvents } from '../../lib/events/lock-events.js';
import type { LockEvent } from '../../lib/index.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import { Lease } from '../../lib/watchdog/lease.js';
import { type RenewingThread, Watchdog } from '../../lib/watchdog/watchdog.js';
import { BlockableLoop } from './blockable-loop.js';
import { fieldsOfHold } from './fields-of-hold.js';

const LEASE = 30_000;

/** A lock whose event loop stands, beside a thread that may find the code in which it does. */
class BlockedProcess {
  readonly loop = new BlockableLoop();
  private readonly scheduler = new MonotonicScheduler(this.loop, (error) => {
    throw error;
  });
  private readonly lockEvents = new LockEvents();
  private readonly events: LockEvent[] = [];
  private found = { stack: [''], at: Number.NEGATIVE_INFINITY };

  constructor(hasThread = true) {
    const { scheduler } = this;
    const thread: RenewingThread = {
      keep: () => {},
      beat: () => {},
      stackWithin: (ms) => (this.found.at < this.loop.now() - ms ? undefined : this.found.stack),
    };
    this.lockEvents.on((event) => void this.events.push(event));
    const watchdog = new Watchdog(scheduler, this.lockEvents, LEASE, hasThread ? thread : undefined);
    watchdog.watch({
      operations: {
        renew: async (renewals) => ({ sent: new Stopwatch(scheduler), held: renewals.map(() => true) }),
      },
      name: 'n',
      owner: 'me:1',
      method: undefined,
      heldFor: Number.POSITIVE_INFINITY,
      eventFields: fieldsOfHold('n'),
      loss: undefined,
      lease: new Lease(scheduler, new Stopwatch(scheduler), LEASE, { onLost: () => {} }),
      neededLease: LEASE,
      renewedLease: LEASE,
      isEnding: false,
      keptFor: Number.POSITIVE_INFINITY,
      isRenewed: true,
      isBusy: false,
      verify: async () => {},
      checkAge: () => {},
      onRenewed: () => {},
    });
  }

  /** The loop stands for 12 s. @param stack What the thread finds during that time, if it does. */
  async block(stack?: string[]): Promise<void> {
    this.loop.block(10_500);
    if (stack) this.found = { stack, at: this.loop.now() };
    this.loop.block(1500);
    await this.loop.pass(0);
  }

  /** The stack of each event so far. */
  get stacks(): readonly (readonly string[] | undefined)[] {
    return this.events.map((event) => (event.type === 'loop-blocked' ? event.stack : [event.type]));
  }
}

describe('The event of an event loop that stood', () => {
  it('has the code in which it did, if another thread has found that', async () => {
    const process = new BlockedProcess();
    await process.block(['work (/app/x.js:12:3)', 'main (/app/main.js:3:5)']);
    expect(process.stacks).toEqual([['work (/app/x.js:12:3)', 'main (/app/main.js:3:5)']]);
  });

  it('has none of an earlier block', async () => {
    const process = new BlockedProcess();
    await process.block(['work (/app/x.js:12:3)']);
    await process.loop.pass(5000);
    await process.block();
    await process.loop.pass(5000);
    await process.block(['other (/app/y.js:1:1)']);
    expect(process.stacks).toEqual([['work (/app/x.js:12:3)'], undefined, ['other (/app/y.js:1:1)']]);
  });

  it('has none without another thread', async () => {
    const process = new BlockedProcess(false);
    await process.block(['work (/app/x.js:12:3)']);
    expect(process.stacks).toEqual([undefined]);
  });
});
