import { inspect } from 'node:util';
import type { WaitOutcome } from '../../lib/backend/kinds/lock/granting-lock.js';
import type { MessageListener } from '../../lib/backend/pubsub.js';
import type { ReleaseOutcome, WaitingEntry } from '../../lib/backend/lock-operations.js';
import { OwnerIds } from '../../lib/context/owner-ids.js';
import { LockUnavailableError } from '../../lib/errors.js';
import { clientsChannel } from '../../lib/keys/redisson-keys.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler, Stopwatch } from '../../lib/time/scheduler.js';
import type { AttemptResult } from '../../lib/waiting/attempt-strategy.js';
import { ClientEntry } from '../../lib/waiting/client-entry.js';
import type { Acquired } from '../../lib/waiting/lock-attempts.js';
import { EntryRecords } from './entry-records.js';
import { grantMessage, HeldGrantingLock } from './held-granting-lock.js';
import { unavailable } from './held-requests.js';
import {
  type Budget,
  type CarryingRelease,
  isLeftOut,
  isUseless,
  LEASE,
  missedGrants,
  repliesTo,
  tick,
} from './entry-events.js';

export type Happening = () => unknown;

/** One client's entry, with a server that the test plays. */
export class EntryWorld {
  readonly records = new EntryRecords();
  private readonly clock = new ManualClock();
  private readonly scheduler = new MonotonicScheduler(this.clock, (error) => {
    throw error;
  });
  private readonly lock = new HeldGrantingLock(this.scheduler);
  private readonly releases: CarryingRelease[] = [];
  private readonly used = { attempts: 0, messages: 0, withdrawals: 0, releases: 0 };
  private readonly entry: ClientEntry;
  private onMessage: MessageListener = () => {};
  private attempting = 0;
  private wakeUps = 0;
  private isClosed = false;
  private mustBeWithdrawn: WaitingEntry | undefined;

  private constructor(private readonly budget: Budget) {
    const pubSub = {
      subscribe: async (channel: string, listener: MessageListener) => {
        if (channel !== clientsChannel('n')) this.onMessage = listener;
        return { alive: true, cancel: () => {} };
      },
    };
    const { lock: locks, records } = this;
    locks.onAsked = ({ entry, isNew }) => records.onAsked(entry, isNew);
    locks.onWithdrawn = (entry) => records.onWithdrawn(entry);
    this.entry = new ClientEntry(
      'n',
      { locks, owners: new OwnerIds('me'), pubSub, onPassedOn: () => {} },
      {
        onGranted: ({ owner }) => records.onHanded(owner),
        onMissed: () => void (this.wakeUps += 1),
        onFailed: (error) => records.violations.push(String(error)),
      },
    );
  }

  static async open(budget: Budget): Promise<EntryWorld> {
    const world = new EntryWorld(budget);
    world.entry.listen();
    await tick();
    return world;
  }

  /** Equal for worlds that behave alike from now on. */
  get key(): string {
    const { used, attempting, isClosed, releases, records } = this;
    const waits = this.lock.waits.unanswered.map(({ entry, isNew }) => [entry.owner, isNew]);
    const inFlight = releases.map(({ again, ...rest }) => [again.owner, rest]);
    const state = inspect(Reflect.get(this.entry, 'state'), { depth: 4 });
    return JSON.stringify([state, used, attempting, isClosed, waits, inFlight, records.all]);
  }

  /** What may happen next, by description. */
  get possible(): ReadonlyMap<string, Happening> {
    return new Map([...this.callerEvents(), ...this.waitReplies(), ...this.releaseEvents(), ...this.messages()]);
  }

  async happen(event: string): Promise<void> {
    const happening = this.possible.get(event);
    if (!happening) throw new Error(`"${event}" cannot happen now`);
    happening();
    await tick();
    if (this.mustBeWithdrawn) this.records.checkIsOver(this.mustBeWithdrawn);
    this.mustBeWithdrawn = undefined;
  }

  /** Answers everything, closes the client, and checks that nothing is left. */
  async end(): Promise<void> {
    if (!this.isClosed) this.entry.close();
    this.isClosed = true;
    await tick();
    while (this.lock.waits.unanswered.length > 0) {
      this.lock.waits.take().fail(unavailable('unknown'));
      await tick();
    }
    for (const release of this.releases) {
      if (release.phase === 'sent') this.fail(release);
      if (release.phase === 'unanswered') this.settle(release);
      if (release.phase === 'settled') this.fail(release);
    }
    this.records.checkNothingIsLeft();
    this.records.check(this.attempting === 0, 'every attempt ends');
  }

  private *callerEvents(): Iterable<readonly [string, Happening]> {
    if (this.isClosed) return;
    const { used, budget } = this;
    if (used.attempts < budget.attempts && this.attempting < 2) yield ['an attempt', () => this.attempt()];
    if (used.withdrawals < budget.withdrawals) yield ['the last waiter leaves', () => this.leave()];
    if (used.releases < budget.releases) yield ['a release', () => this.release()];
    yield ['the queue closes', () => this.close()];
  }

  private *waitReplies(): Iterable<readonly [string, Happening]> {
    for (const request of this.lock.waits.unanswered) {
      const { owner } = request.entry;
      const answer = (reply: WaitOutcome | Error): Happening => {
        return () => {
          const held = this.lock.waits.take((other) => other === request);
          if (reply instanceof Error) held.fail(reply);
          else held.reply(reply);
          this.records.of(request.entry).isGone ||= 'outcome' in reply && reply.outcome === 'gone';
          this.mustBeWithdrawn ||= isUseless(request, reply) ? request.entry : undefined;
        };
      };
      const replies = repliesTo(request, this.scheduler);
      for (const [name, reply] of Object.entries(replies))
        if (!isLeftOut(name, this.budget)) yield [`asked about ${owner}: ${name}`, answer(reply)];
    }
  }

  private *releaseEvents(): Iterable<readonly [string, Happening]> {
    for (const release of this.releases) {
      const about = `release with ${release.again.owner}`;
      const { phase } = release;
      if (phase === 'sent') {
        for (const outcome of ['passed-on', 'kept', 'released', 'not-held', 'released-before'] as const)
          if (!isLeftOut(outcome, this.budget)) yield [`${about}: ${outcome}`, () => this.answer(release, outcome)];
      }
      if (phase === 'sent' || phase === 'settled') yield [`${about}: no reply`, () => this.fail(release)];
      if (phase === 'sent' || phase === 'unanswered') yield [`${about}: settled`, () => this.settle(release)];
    }
  }

  private *messages(): Iterable<readonly [string, Happening]> {
    if (this.isClosed || this.used.messages >= this.budget.messages) return;
    const receive = (message: string | undefined): Happening => {
      return () => {
        this.used.messages += 1;
        this.onMessage(message);
      };
    };
    for (const { entry } of this.records.all) yield [`a grant for ${entry.owner}`, receive(grantMessage(entry.owner))];
    if (this.records.all.length === 0) yield ['a grant for another client', receive(grantMessage('other:1'))];
    const missing = missedGrants(this.records.current?.entry.owner ?? 'me:0');
    for (const [name, message] of Object.entries(missing))
      if (!isLeftOut(name, this.budget)) yield [name, () => this.miss(receive(message))];
  }

  private attempt(): void {
    this.used.attempts += 1;
    this.attempting += 1;
    const asked = this.lock.waits.sent.length;
    const result = this.entry.attempt(LEASE);
    // It cannot ask now, so it sleeps.
    const sleeps = this.lock.waits.sent.length === asked;
    const release = this.releases.findLast(({ phase }) => phase !== 'over' && phase !== 'settled');
    this.records.check(!sleeps || release !== undefined, 'an attempt asks, unless a release is in flight');
    void result.then(
      (got) => this.ended(got, sleeps ? release : undefined),
      (error: unknown) => {
        this.attempting -= 1;
        this.records.check(error instanceof LockUnavailableError, `${String(error)} is expected`);
      },
    );
  }

  private ended(result: AttemptResult<Acquired>, release: CarryingRelease | undefined): void {
    this.attempting -= 1;
    if ('got' in result) this.records.onHanded(result.got.owner);
    else if (release) release.owesWakeUp = true;
  }

  private leave(): void {
    this.used.withdrawals += 1;
    this.forget();
    this.entry.withdraw();
  }

  private close(): void {
    this.isClosed = true;
    this.forget();
    this.entry.close();
  }

  private forget(): void {
    const { current } = this.records;
    if (current && this.records.isCarried(current.entry)) current.isForgotten = true;
  }

  private release(): void {
    this.used.releases += 1;
    const again = this.entry.entryFor(LEASE);
    if (!again) return;
    this.records.onCarried(again);
    this.releases.push({ again, phase: 'sent', owesWakeUp: false, hasMissed: false });
  }

  private answer(release: CarryingRelease, word: ReleaseOutcome['outcome']): void {
    const { again } = release;
    release.phase = 'over';
    this.records.onSettled(again, word !== 'released' && word !== 'not-held');
    const wakeUps = this.wakeUps;
    const outcome: ReleaseOutcome =
      word === 'kept' ? { outcome: word, sent: new Stopwatch(this.scheduler) } : { outcome: word };
    const got = again.afterRelease(outcome);
    if (got) this.records.onHanded(got.owner);
    const waits = word === 'passed-on' && !this.records.of(again).isForgotten && !release.hasMissed;
    if (!waits) this.expectWakeUp(release, wakeUps);
  }

  private fail(release: CarryingRelease): void {
    release.phase = release.phase === 'settled' ? 'over' : 'unanswered';
    const got = release.again.afterRelease(undefined);
    this.records.check(got === undefined, 'a release without a reply grants nothing');
  }

  private settle(release: CarryingRelease): void {
    release.phase = release.phase === 'unanswered' ? 'over' : 'settled';
    this.records.onSettled(release.again, true);
    const wakeUps = this.wakeUps;
    release.again.onSettled();
    this.expectWakeUp(release, wakeUps);
  }

  private expectWakeUp({ again, owesWakeUp, hasMissed }: CarryingRelease, before: number): void {
    const isOwed = (owesWakeUp || hasMissed) && !this.isClosed && !this.records.of(again).isHanded;
    this.records.check(!isOwed || this.wakeUps > before, `waiters wake when the release with ${again.owner} is over`);
  }

  /** A grant may have been missed: an attempt is to tell, now or after the release that carries the entry. */
  private miss(receive: Happening): void {
    const { current } = this.records;
    const before = this.wakeUps;
    receive();
    if (!current) return;
    const release = this.releases.find(({ again }) => again.owner === current.entry.owner);
    if (release && this.records.isCarried(current.entry)) release.hasMissed ||= !current.isForgotten;
    else this.records.check(this.wakeUps > before, 'waiters wake when a grant may have been missed');
  }
}
