import type { LockBackend } from '../backend/lock-backend.js';
import { isPassing, LockDeadlockError, LockUnavailableError, messageOf } from '../errors.js';
import type { OfLock } from '../events/life-cycle-events.js';
import { cycleText, type DeadlockStep } from '../events/deadlock-step.js';
import { type CycleStep, type Deadlock, findDeadlock } from './wait-graph.js';
import { storedName } from '../holds/lock-kind.js';
import type { BlockedHoldRecord } from '../backend/kinds/deadlock/blocked-holds.js';
import {
  type BlockedHold,
  blockedHoldOf,
  type BlockedWait,
  type HeldLock,
  textOf,
  type WantedLock,
} from './blocked-hold.js';
import type { LockEvents } from '../events/lock-events.js';
import type { MonotonicScheduler, ScheduledTask } from '../time/scheduler.js';
import { type NestedAcquisition, WatchedWait } from './watched-wait.js';

const stepOf = ({ wait: { method, wants }, holds: { name, owner } }: CycleStep): DeadlockStep => ({
  ...(method !== undefined && { method }),
  holds: name,
  owner,
  waitsFor: wants.name,
});

/** The error of the wait that gives up. */
const deadlockError = (
  { lockName, template }: OfLock,
  cycle: readonly DeadlockStep[],
  waited: number,
): LockDeadlockError =>
  new LockDeadlockError(
    `Waiting for lock "${lockName}" would not end, because the callers that wait hold what the others wait for: ${cycleText(cycle)}. ` +
      'The first of these gave up, so that the others go on: let its locks be released, then try again; to prevent it, acquire these locks in the same order everywhere',
    { lockName, template, details: { cycle, waited } },
  );

/** A record that was found, and what it says. */
interface Sighting extends BlockedHoldRecord {
  readonly hold: BlockedHold;
}

/** Most locks that are followed for one wait, and most records of them. */
const MOST_LOCKS = 50;
const MOST_SIGHTINGS = 500;

/** Finds which waits keep a lock from being had. What several waits ask is asked once. */
class Sightings {
  private readonly found = new Map<string, Promise<readonly Sighting[]>>();

  constructor(private readonly records: Pick<LockBackend['blockedHolds'], 'find'>) {}

  /** Follows the records from holder to holder, as far as they lead. */
  async behind(wanted: WantedLock): Promise<readonly Sighting[]> {
    const seen = new Map<string, Sighting>();
    const places = new Set([storedName(wanted)]);
    for (const place of places) {
      for (const sighting of await this.at(place)) {
        if (seen.size < MOST_SIGHTINGS) seen.set(sighting.text, sighting);
        if (places.size < MOST_LOCKS) places.add(storedName(sighting.hold.wait.wants));
      }
    }
    return [...seen.values()];
  }

  private at(place: string): Promise<readonly Sighting[]> {
    const found = this.found.get(place) ?? this.find(place);
    this.found.set(place, found);
    return found;
  }

  private async find(place: string): Promise<readonly Sighting[]> {
    const records = await this.records.find(place);
    return records.flatMap((record) => {
      const hold = blockedHoldOf(record.text);
      return hold ? [{ ...record, hold }] : [];
    });
  }
}

/** How often the records of waits are kept, and for how long, ms. */
const KEEP_EVERY_MS = 400;
const KEPT_FOR_MS = 2000;
/** How often a deadlock is looked at again, ms, until all its waits were seen to go on. */
const LOOK_AGAIN_MS = 100;
/** Most waits that are recorded at once: those that began first, since others end and a deadlock does not. */
const MOST_WAITS = 100;
/** Most locks of one waiting caller that are recorded. */
const MOST_HELD = 20;

/** Services that the watch of one connection needs. */
interface DeadlockServices {
  readonly scheduler: MonotonicScheduler;
  readonly events: LockEvents;
  readonly records: LockBackend['blockedHolds'];
  /** Tells the waits of this process from those of others. */
  readonly clientId: string;
  /** Asks the server whether the owner has the lock. */
  readonly isHeld: (held: HeldLock) => Promise<boolean>;
}

/**
 * Watches the long waits of callers that hold locks, and ends one of those that wait for each other.
 *
 * A caller that holds locks and has waited for a second puts a record beside each of them: it waits, and for what. It then
 * follows the records beside the lock that it waits for, from holder to holder. If they lead back to it, on every way on
 * which it could get the lock, it is in a deadlock, and the wait that began last gives up. Before that, all these waits
 * must have kept their records once more, and the server must confirm that the locks are held.
 */
export class DeadlockWatch {
  private readonly waits = new Set<WatchedWait>();
  private task: ScheduledTask | undefined;
  private lastId = 0;
  private isInRound = false;
  /** Whether a wait has begun that no round has looked at. */
  private hasNew = false;
  private isSuspected = false;
  private isReported = false;
  private isStopped = false;

  constructor(private readonly services: DeadlockServices) {}

  get scheduler(): MonotonicScheduler {
    return this.services.scheduler;
  }

  /** Watches an acquisition by code that may hold locks. Costs nothing while it need not wait. */
  guard(acquisition: NestedAcquisition): WatchedWait {
    return new WatchedWait(this, acquisition);
  }

  /** Ends all watching, as at the end of the application. Waits go on. */
  stop(): void {
    this.isStopped = true;
    this.task?.cancel();
    this.waits.clear();
  }

  /** Called when a wait has become long. */
  add(watched: WatchedWait): void {
    if (this.isStopped) return;
    watched.wait ??= this.describe(watched.acquisition);
    this.waits.add(watched);
    this.hasNew = true;
    this.schedule(0);
  }

  /** Called when a watched wait is over. */
  delete(watched: WatchedWait): void {
    if (!this.waits.delete(watched)) return;
    for (const [text, place] of watched.records) this.drop(place, text);
    watched.records = new Map();
  }

  private describe({ lock: { method }, wants, startedAt }: NestedAcquisition): BlockedWait {
    const { scheduler } = this;
    const now = scheduler.now();
    this.lastId += 1;
    const since = Math.round((scheduler.wallNow() ?? now) - (now - startedAt));
    return { id: `${this.services.clientId}/${this.lastId}`, since, method, wants };
  }

  private schedule(ms: number): void {
    if (this.isInRound || this.isStopped) return;
    this.task?.cancel();
    this.task = this.scheduler.schedule(ms, () => void this.round());
  }

  private async round(): Promise<void> {
    this.isInRound = true;
    this.hasNew = false;
    this.isSuspected = false;
    try {
      const waits = [...this.waits].filter((watched) => watched.blockedHolds().length > 0).slice(0, MOST_WAITS);
      // First: of two that look, the later one sees the record of the other.
      await Promise.all(waits.map((watched) => this.keep(watched)));
      const sightings = new Sightings(this.services.records);
      await Promise.all(waits.map((watched) => this.look(watched, sightings)));
    } catch (error) {
      this.report(error);
    }
    this.isInRound = false;
    if (this.waits.size > 0) this.schedule(this.hasNew ? 0 : this.isSuspected ? LOOK_AGAIN_MS : KEEP_EVERY_MS);
  }

  private async keep(watched: WatchedWait): Promise<void> {
    const now = this.scheduler.now();
    if (now - watched.keptAt < KEEP_EVERY_MS) return;
    watched.keptAt = now;
    const holds = watched.blockedHolds().slice(0, MOST_HELD);
    const records = new Map(holds.map((hold) => [textOf(hold), storedName(hold.held)]));
    for (const [text, place] of watched.records) if (!records.has(text)) this.drop(place, text);
    watched.records = records;
    await Promise.all([...records].map(([text, place]) => this.services.records.keep(place, text, KEPT_FOR_MS)));
  }

  private async look(watched: WatchedWait, sightings: Sightings): Promise<void> {
    const found = await sightings.behind(watched.acquisition.wants);
    const deadlock = this.deadlockOf(watched, found);
    if (!deadlock) {
      watched.seen = undefined;
      return;
    }
    this.isSuspected = true;
    const seen = (watched.seen ??= new Map());
    const members = found.filter(({ hold }) => deadlock.members.has(hold.wait.id));
    const kept = members.filter(({ text, end }) => watched.records.has(text) || end > (seen.get(text) ?? end));
    for (const { text, end } of members) if (!seen.has(text)) seen.set(text, end);
    if (this.deadlockOf(watched, kept)) await this.confirm(watched, kept);
  }

  /** The deadlock of these waits, if this one is to give up. */
  private deadlockOf(watched: WatchedWait, sightings: readonly Sighting[]): Deadlock | undefined {
    const { wait, isWaiting } = watched;
    if (!wait || !isWaiting) return undefined;
    const deadlock = findDeadlock(
      wait.id,
      sightings.map(({ hold }) => hold),
    );
    return deadlock?.victim === wait.id ? deadlock : undefined;
  }

  /** Asks whether everything is still so, and if it is, ends the wait. */
  private async confirm(watched: WatchedWait, sightings: readonly Sighting[]): Promise<void> {
    const { records, isHeld, events } = this.services;
    const checked = await Promise.all(
      sightings.map(async ({ text, hold }) => [text, await isHeld(hold.held)] as const),
    );
    const held = new Map(checked);
    const again = await new Sightings(records).behind(watched.acquisition.wants);
    const deadlock = this.deadlockOf(
      watched,
      again.filter(({ text }) => held.get(text)),
    );
    if (!deadlock) return;
    const cycle = deadlock.cycle.map(stepOf);
    const { lock, startedAt } = watched.acquisition;
    const waited = Math.round(this.scheduler.now() - startedAt);
    watched.fail(deadlockError(lock, cycle, waited));
    events.emit({ type: 'deadlock', ...lock, waited, cycle });
  }

  /** A record that stays, because that fails, ends soon. */
  private drop(place: string, text: string): void {
    this.services.records.drop(place, text).catch((error: unknown) => this.report(error));
  }

  /** A failure changes no wait. Of those that last, the first is told. */
  private report(error: unknown): void {
    if (this.isStopped || isPassing(error)) return;
    if (error instanceof LockUnavailableError) this.stop();
    if (this.isReported) return;
    this.isReported = true;
    const problem = new Error(`Deadlocks of waiting callers may not be found: ${messageOf(error)}`, { cause: error });
    this.services.events.emit({ type: 'unexpected', error: problem });
  }
}
