import { counterTable } from '../../../lib/backend/memory/counters.js';
import { lockTable } from '../../../lib/backend/memory/lock.js';
import { MemoryBackend } from '../../../lib/backend/memory/memory-backend.js';
import { waitingTable } from '../../../lib/backend/memory/waiting-clients.js';
import { waitingClients } from '../../../lib/keys/redisson-keys.js';
import { ReadWriteData, readWriteTable } from '../../../lib/backend/memory/read-write/read-write-data.js';
import type { ArgumentsOf, KeysOf, Script } from '../../../lib/backend/redis/scripts/script.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';
import { MonotonicScheduler } from '../../../lib/time/monotonic-scheduler.js';
import type { Simulation } from '../engine/simulation.js';
import type { ConnectionEnd } from '../network/connection.js';
import { defineCounters } from './counter-scripts.js';
import { defineFairLocks } from './fair-scripts.js';
import { defineFlights } from './flight-scripts.js';
import { defineDeadlocks } from './deadlock-scripts.js';
import { defineForceReleases } from './force-release-scripts.js';
import { defineLimits } from './limit-scripts.js';
import { defineLocks } from './lock-scripts.js';
import { definePermits } from './permit-scripts.js';
import type { RealScripts } from './real-scripts.js';
import type { SimulatedCluster } from './simulated-cluster.js';
import { ScriptTable } from './script-table.js';
import { SimulatedStore } from './simulated-store.js';

/** The part of a lock that a section holds. */
export type Mode = 'exclusive' | 'read' | 'write';

/** A server or a cluster that has locks, for checks of the beliefs of holders. */
export interface LockServer {
  /** Milliseconds of true time for which the owner still holds the lock; below 0 if it does not hold it. */
  remaining(mode: Mode, name: string, owner: OwnerId): number;
  /** Whether the lock was freed with an announcement. The end of a lease is not announced. */
  wasFreed(name: string): boolean;
}

/** One execution of a script, for checks of the order of events. */
export interface Execution {
  readonly script: string;
  readonly keys: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, unknown>>;
  readonly reply: readonly unknown[];
  /** Owners that held the lock just before, if the script ends the holds of others. */
  readonly heldBefore: readonly OwnerId[];
  /** Owners of the entries that waited for the lock just before, in order of arrival. */
  readonly waitingBefore: readonly OwnerId[];
}

/** A server that executes the library's scripts by the memory backend, on a clock of its own. */
export class SimulatedServer implements ConnectionEnd, LockServer {
  /** The cluster that it belongs to, if there is one. */
  cluster: SimulatedCluster | undefined;
  readonly store: SimulatedStore;
  private readonly backend: MemoryBackend;
  private readonly table = new ScriptTable();
  private readonly watchers: ((execution: Execution) => void)[] = [];
  private readonly freed = new Set<string>();
  private frozenUntil = 0;
  private pausedUntil = 0;
  /** Its end of the connections that carry scripts, all of which write. Subscriptions have others. */
  readonly forScripts: ConnectionEnd;

  /** @param offset Milliseconds by which its clock is ahead of true time. */
  constructor(
    private readonly simulation: Simulation,
    readonly name: string,
    readonly rate: number,
    private readonly offset: number,
    private readonly real?: RealScripts,
  ) {
    this.forScripts = {
      name,
      enqueue: (at, run) => this.enqueueWhen(at, run, () => Math.max(this.frozenUntil, this.pausedUntil)),
    };
    const clock = { now: () => this.now, schedule: () => ({ cancel: () => {} }) };
    const scheduler = new MonotonicScheduler(clock, (error) => simulation.violate('server', String(error)));
    this.store = new SimulatedStore(scheduler);
    this.real?.listenLike(name, this.store, (work) => void simulation.await(work));
    this.backend = new MemoryBackend(this.store, 'clock');
    const now = (): number => this.now;
    defineLocks(this.table, this.backend, now);
    defineFairLocks(this.table, this.backend, now);
    defineDeadlocks(this.table, this.backend, now);
    defineForceReleases(this.table, this.backend, now);
    defineCounters(this.table, this.store, this.backend, now);
    defineLimits(this.table, this.backend, now);
    definePermits(this.table, this.store, this.backend, now);
    defineFlights(this.table, this.store, now);
  }

  /** Whole milliseconds, as Redis has them. */
  get now(): number {
    return Math.floor(this.simulation.now * this.rate + this.offset);
  }

  /** Sets a counter before the load begins. */
  put(name: string, count: number): void {
    counterTable(this.store).set(name, count);
    if (this.real) void this.simulation.await(this.real.put(this.name, name, count));
  }

  enqueue(at: number, run: () => void): void {
    this.enqueueWhen(at, run, () => this.frozenUntil);
  }

  private enqueueWhen(at: number, run: () => void, until: () => number): void {
    this.simulation.at(at, () => {
      if (until() > this.simulation.now) this.enqueueWhen(until(), run, until);
      else run();
    });
  }

  /** Delays all answers for `ms`. */
  freeze(ms: number): void {
    this.simulation.note(this.name, () => `stands still for ${Math.round(ms)} ms`);
    this.frozenUntil = Math.max(this.frozenUntil, this.simulation.now + ms);
  }

  /** Delays all scripts for `ms`, as `CLIENT PAUSE ms WRITE` does. Messages and subscriptions go on. */
  pauseWrites(ms: number): void {
    this.simulation.note(this.name, () => `executes nothing that writes for ${Math.round(ms)} ms`);
    this.pausedUntil = Math.max(this.pausedUntil, this.simulation.now + ms);
  }

  onExecuted(watcher: (execution: Execution) => void): void {
    this.watchers.push(watcher);
  }

  /** @param asking Whether the client was redirected here by ASK, so that the keys may be under way. */
  async execute<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    asking = false,
  ): Promise<readonly unknown[]> {
    const heldBefore = script.name.endsWith('force-release') ? this.holdersOf(Object.values(keys)[0]) : [];
    const names = Object.values(keys).flat().map(String);
    const waitingBefore = this.waitingFor(names[0] ?? '');
    const refusal = this.cluster?.refusal(this, names, asking);
    if (refusal) {
      this.simulation.note(this.name, () => `${script.name} ${names.join(' ')} → ${refusal.message}`);
      throw refusal;
    }
    const heldOnes = names.filter((name) => this.isHeld(name));
    const reply = await this.table.execute(script, keys, args).catch((error: unknown) => {
      this.simulation.violate('simulated server', String(error));
      throw error;
    });
    for (const name of names) this.noteFreed(name, heldOnes.includes(name));
    if (this.real) await this.simulation.await(this.compare(this.real, script, keys, args, reply));
    this.simulation.note(
      this.name,
      () => `${script.name} ${names.join(' ')} ${JSON.stringify(args)} → ${reply.join(' ')}`,
    );
    for (const watcher of this.watchers) watcher({ script: script.name, keys, args, reply, heldBefore, waitingBefore });
    return reply;
  }

  private async compare<S extends Script>(
    real: RealScripts,
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    reply: readonly unknown[],
  ): Promise<void> {
    const difference = await real.compare(this.name, this.now, script, keys, args, reply);
    if (difference !== undefined) this.simulation.violate('same as on Redis', difference);
  }

  /** The owner of a lock of a kind that excludes all others. */
  holderOf(name: string): OwnerId | undefined {
    return lockTable(this.store).find(name)?.owner;
  }

  /** The owners of the entries that wait for a lock, in order of arrival. */
  waitingFor(name: string): readonly OwnerId[] {
    return (
      waitingTable(this.store)
        .find(waitingClients(name))
        ?.map(({ owner }) => owner) ?? []
    );
  }

  remaining(mode: Mode, name: string, owner: OwnerId): number {
    return this.remainingHere(mode, name, owner) / this.rate;
  }

  /** Whether any owner has the lock. */
  isHeld(name: string): boolean {
    return this.store.entry(name) !== undefined;
  }

  wasFreed(name: string): boolean {
    return this.freed.has(name) && !this.isHeld(name);
  }

  private noteFreed(name: string, wasHeld: boolean): void {
    if (this.isHeld(name)) this.freed.delete(name);
    else if (wasHeld) this.freed.add(name);
  }

  private holdersOf(name: unknown): readonly OwnerId[] {
    if (typeof name !== 'string') return [];
    const held = lockTable(this.store).find(name);
    if (held) return [held.owner];
    const halves = readWriteTable(this.store).find(name);
    return halves ? [...halves.readers.keys(), ...(halves.writer ? [halves.writer.owner] : [])] : [];
  }

  private remainingHere(mode: Mode, name: string, owner: OwnerId): number {
    if (mode === 'exclusive') {
      return lockTable(this.store).find(name)?.owner === owner ? this.store.remaining(name) : -2;
    }
    const held = readWriteTable(this.store).find(name);
    if (mode === 'write') return held?.writer?.owner === owner ? this.store.remaining(name) : -2;
    const count = held?.readers.get(owner) ?? 0;
    return new ReadWriteData(this.store).longestRead(name, new Map([[owner, count]]));
  }
}
