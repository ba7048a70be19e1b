import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { WaitLimit } from '../../lib/time/wait-limit.js';
import type { AcquireContext, WaitDependencies } from '../../lib/waiting/acquirer.js';
import type { Busy, AttemptResult } from '../../lib/waiting/attempt-strategy.js';
import { BackoffSequence } from '../../lib/waiting/backoff.js';
import { QueuedAcquirer } from '../../lib/waiting/queued-acquirer.js';
import { WaitQueue } from '../../lib/waiting/queue/wait-queue.js';
import { ScriptedAttempts, type SentAttempt, type Thing } from './scripted-attempts.js';
import { ScriptedPubSub } from './scripted-pub-sub.js';

/** The longest time that one command may take, ms. */
const COMMAND_TIMEOUT = 10;

/** The options of one wait. */
interface WaiterOptions {
  readonly wanted?: number;
  readonly wait?: number;
  readonly signal?: AbortSignal;
  /** The pauses between attempts. */
  readonly pauses?: () => Iterable<number>;
}

/** The attempts, pub/sub and clock of a test's waiters. The test plays all of them. */
class WaitingBench {
  readonly clock = new ManualClock();
  readonly scheduler = new MonotonicScheduler(this.clock, () => {});
  readonly attempts = new ScriptedAttempts(this.clock);
  readonly pubSub = new ScriptedPubSub();
  /** The outcomes of waits, in the order in which they ended: `a: granted 1`, `b: LockTimeoutError`. */
  readonly ends: string[] = [];
  /** The errors with which waiters were rejected, in the same order. */
  readonly errors: unknown[] = [];

  dependencies(maxQueue = 100): WaitDependencies {
    const polling = { subscribed: 5000, unsubscribed: 1000 };
    return { pubSub: this.pubSub, scheduler: this.scheduler, polling, commandTimeout: COMMAND_TIMEOUT, maxQueue };
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

  /** The attempt in flight. */
  async attempt(): Promise<SentAttempt> {
    await this.clock.advance(0);
    const [attempt, ...more] = this.attempts.unanswered.splice(0);
    if (!attempt || more.length > 0) throw new Error(`There are ${more.length + (attempt ? 1 : 0)} attempts`);
    return attempt;
  }

  /** Answers every attempt with `busy` until none is in flight. */
  async untilAsleep(found?: Partial<Busy>): Promise<void> {
    for (await this.clock.advance(0); this.attempts.unanswered.length > 0; await this.clock.advance(0))
      this.attempts.unanswered.shift()?.busy(found);
  }

  /**
   * The instants of the attempts within this time, ms from now, each answered at once. An attempt that is under way
   * before is included.
   */
  async attemptsIn(ms: number, found?: Partial<Busy>): Promise<number[]> {
    const begun = this.clock.now();
    const { instants, unanswered } = this.attempts;
    const answered = instants.length - unanswered.length;
    for (await this.untilAsleep(found); this.clock.now() < begun + ms; await this.untilAsleep(found))
      await this.clock.advance(1);
    return instants.slice(answered).map((at) => at - begun);
  }

  /** The time until the next attempt, ms. */
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

export class WaitQueueBench extends WaitingBench {
  readonly queue: WaitQueue<number, Thing>;
  /** The number of times that the queue reported that it is empty. */
  idle = 0;
  /** The attempt of a caller before the queue, while it is in flight. */
  firstAttempt: Promise<AttemptResult<Thing>> | undefined;

  constructor({
    channel = 'channel',
    maxQueue,
    hearsLeases = false,
  }: { readonly channel?: string | false; readonly maxQueue?: number; readonly hearsLeases?: boolean } = {}) {
    super();
    this.attempts.hearsLeases = hearsLeases;
    this.queue = new WaitQueue(
      'n',
      channel === false ? undefined : channel,
      this.attempts,
      this.dependencies(maxQueue),
      { onIdle: () => void (this.idle += 1), firstAttempt: () => this.firstAttempt },
    );
  }

  enter(who: string, options: WaiterOptions = {}): void {
    const { wanted = 1, pauses } = options;
    const backoff = pauses && new BackoffSequence(pauses);
    this.watch(
      who,
      this.queue.enter(this.contextOf(options), wanted, (thing) => thing, backoff),
    );
  }

  /** Starts waits. The first waiter makes an attempt in vain, and subscribes. */
  async sleeping(...who: readonly string[]): Promise<void> {
    for (const waiter of who) this.enter(waiter);
    await this.untilAsleep();
  }

  /** Whether the queue left no timer and no subscription behind. */
  get isClean(): boolean {
    return this.clock.pending === 0 && this.pubSub.active.length === 0;
  }
}

/** The queues of a connection, by name. The test has one connection. */
export class AcquirerBench extends WaitingBench {
  readonly acquirer: QueuedAcquirer<number, Thing>;
  /** Ends every wait as the end of the application does. */
  readonly shutdown = new AbortController();

  /** @param channel Without a name nothing is announced. */
  constructor(channel = 'channel') {
    super();
    this.acquirer = new QueuedAcquirer(this.attempts, this.dependencies(), channel === '' ? undefined : () => channel);
  }

  acquire(who: string, options: WaiterOptions = {}): void {
    const context = this.contextOf(options);
    const asked = { ...context, limit: context.limit.withShutdown(this.shutdown.signal) };
    this.watch(
      who,
      this.acquirer.acquire(asked, options.wanted ?? 1, (thing) => thing),
    );
  }

  /** Whether there is no queue, no timer and no subscription. */
  get isClean(): boolean {
    return this.acquirer.contended === 0 && this.clock.pending === 0 && this.pubSub.active.length === 0;
  }
}
