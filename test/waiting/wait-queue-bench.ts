import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/monotonic-scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import type { AcquireContext, WaitDependencies } from '../../lib/waiting/acquirer.js';
import type { Busy, AttemptResult } from '../../lib/waiting/attempt-strategy.js';
import { BackoffSequence } from '../../lib/waiting/backoff.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import { WaitQueue } from '../../lib/waiting/queue/wait-queue.js';
import { ScriptedAttempts, type SentAttempt, type Thing } from './scripted-attempts.js';
import { ScriptedPubSub } from './scripted-pub-sub.js';

/** How a waiter of the test waits. */
interface WaiterOptions {
  readonly wanted?: number;
  readonly wait?: number;
  readonly signal?: AbortSignal;
  /** Pauses between two attempts. */
  readonly pauses?: () => Iterable<number>;
}

/** What attempts, pub/sub and time are for every waiter of a test: played by the test. */
class WaitingBench {
  readonly clock = new ManualClock();
  readonly scheduler = new MonotonicScheduler(this.clock, () => {});
  readonly attempts = new ScriptedAttempts(this.clock);
  readonly pubSub = new ScriptedPubSub();
  /** What became of waiters, in the order in which they were told: `a: granted 1`, `b: LockTimeoutError`. */
  readonly ends: string[] = [];
  /** The errors with which waiters were rejected, in the same order. */
  readonly errors: unknown[] = [];

  dependencies(maxQueue = 100): WaitDependencies {
    const polling = { subscribed: 5000, unsubscribed: 1000 };
    return { pubSub: this.pubSub, scheduler: this.scheduler, polling, maxQueue };
  }

  contextOf({ wait = Number.POSITIVE_INFINITY, signal }: WaiterOptions): AcquireContext {
    const limit = new WaitLimit(this.scheduler, wait, signal ? [signal] : []);
    return { what: 'Thing', name: 'n', template: undefined, limit };
  }

  /** Records how this wait ends. */
  watch(who: string, waiting: Promise<Thing>): void {
    void waiting.then(
      ({ id }) => this.ends.push(`${who}: granted ${id}`),
      (error: unknown) => {
        this.ends.push(`${who}: ${error instanceof Error ? error.name : 'unknown'}`);
        this.errors.push(error);
      },
    );
  }

  /** The attempt that is on its way. */
  async attempt(): Promise<SentAttempt> {
    await this.clock.advance(0);
    const [attempt, ...more] = this.attempts.unanswered.splice(0);
    if (!attempt || more.length > 0) throw new Error(`There are ${more.length + (attempt ? 1 : 0)} attempts`);
    return attempt;
  }

  /** Answers every attempt with this until none is on its way. */
  async untilAsleep(found?: Partial<Busy>): Promise<void> {
    for (await this.clock.advance(0); this.attempts.unanswered.length > 0; await this.clock.advance(0))
      this.attempts.unanswered.shift()?.busy(found);
  }

  /** Instants, ms from now, of the attempts that are made in this time, each answered at once; and of one under way. */
  async attemptsIn(ms: number, found?: Partial<Busy>): Promise<number[]> {
    const begun = this.clock.now();
    const { instants, unanswered } = this.attempts;
    const answered = instants.length - unanswered.length;
    for (await this.untilAsleep(found); this.clock.now() < begun + ms; await this.untilAsleep(found))
      await this.clock.advance(1);
    return instants.slice(answered).map((at) => at - begun);
  }

  /** Milliseconds until the next attempt. */
  async untilNextAttempt(): Promise<number> {
    const begun = this.clock.now();
    await this.clock.advance(0);
    while (this.attempts.unanswered.length === 0) {
      if (this.clock.pending === 0) throw new Error('The queue sleeps for ever');
      await this.clock.advance(10);
    }
    return Number(this.attempts.instants.at(-1)) - begun;
  }
}

/** One wait queue. */
export class WaitQueueBench extends WaitingBench {
  readonly queue: WaitQueue<number, Thing>;
  /** How often the queue said that it is of no use any more. */
  idle = 0;
  /** The attempt of a caller that came before the queue, while it is on its way. */
  firstAttempt: Promise<AttemptResult<Thing>> | undefined;

  constructor({
    channel = 'channel',
    maxQueue,
  }: { readonly channel?: string | false; readonly maxQueue?: number } = {}) {
    super();
    this.queue = new WaitQueue(
      'n',
      channel === false ? undefined : channel,
      this.attempts,
      this.dependencies(maxQueue),
      () => void (this.idle += 1),
      () => this.firstAttempt,
    );
  }

  enter(who: string, options: WaiterOptions = {}): void {
    const { wanted = 1, pauses } = options;
    this.watch(who, this.queue.enter(this.contextOf(options), wanted, pauses && new BackoffSequence(pauses)));
  }

  /** Waiters of which the first has asked, found it busy, and subscribed. */
  async sleeping(...who: readonly string[]): Promise<void> {
    for (const waiter of who) this.enter(waiter);
    await this.untilAsleep();
  }

  /** Whether the queue left nothing behind: no timer, no subscription. */
  get isClean(): boolean {
    return this.clock.pending === 0 && this.pubSub.active.length === 0;
  }
}

/** Every queue of a connection, by name; here of one. */
export class AcquirerBench extends WaitingBench {
  readonly acquirer: QueuedAcquirer<number, Thing>;
  /** Ends every wait as the end of the application does. */
  readonly shutdown = new AbortController();

  /** @param channel Empty: nothing is announced. */
  constructor(channel = 'channel') {
    super();
    this.acquirer = new QueuedAcquirer(this.attempts, this.dependencies(), channel === '' ? undefined : () => channel);
  }

  acquire(who: string, options: WaiterOptions = {}): void {
    const context = this.contextOf(options);
    const asked = { ...context, limit: context.limit.withShutdown(this.shutdown.signal) };
    this.watch(who, this.acquirer.acquire(asked, options.wanted ?? 1));
  }

  /** Whether nothing of waiting is there: no queue, no timer, no subscription. */
  get isClean(): boolean {
    return this.acquirer.contended === 0 && this.clock.pending === 0 && this.pubSub.active.length === 0;
  }
}
