import { Refusal } from '../../../lib/backend/memory/keyspace.js';
import { runScript } from '../../../lib/backend/memory/lua.js';
import { translated } from '../../../lib/backend/memory/scripts.generated.js';
import {
  type ArgumentsOf,
  encode,
  isReplyOf,
  type KeysOf,
  type ScriptReply,
  type Script,
} from '../../../lib/backend/scripts/script.js';
import type { OwnerId } from '../../../lib/context/owner-ids.js';
import type { Simulation } from '../engine/simulation.js';
import type { ConnectionEnd } from '../network/connection.js';
import type { RealScripts } from './real-scripts.js';
import type { SimulatedCluster } from './simulated-cluster.js';
import { SimulatedStore } from './simulated-store.js';
import { StoredLocks } from './stored-locks.js';

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
  readonly reply: ScriptReply;
  /** Owners that held the lock just before, if the script ends the holds of others. */
  readonly heldBefore: readonly OwnerId[];
  /** Owners of the entries that waited for the lock just before, in order of arrival. */
  readonly waitingBefore: readonly OwnerId[];
}

/** A server that executes the library's scripts, as they are translated for locks in memory, on a clock of its own. */
export class SimulatedServer implements ConnectionEnd, LockServer {
  /** The cluster that it belongs to, if there is one. */
  cluster: SimulatedCluster | undefined;
  readonly store: SimulatedStore;
  /** What is stored of locks. */
  readonly stored: StoredLocks;
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
    this.store = new SimulatedStore(() => this.now);
    this.stored = new StoredLocks(this.store);
    this.real?.listenLike(name, this.store, (work) => void simulation.await(work));
  }

  /** Whole milliseconds, as Redis has them. */
  get now(): number {
    return Math.floor(this.simulation.now * this.rate + this.offset);
  }

  /** Sets a counter before the load begins. */
  put(name: string, count: number): void {
    this.store.call(['SET', name, String(count)]);
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
  ): Promise<ScriptReply> {
    const names = Object.values(keys).flat().map(String);
    const [name = ''] = names;
    const heldBefore = /(force-release|replace)$/.test(script.name) ? this.stored.holdersOf(name) : [];
    const waitingBefore = this.stored.waitingFor(name);
    const refusal = this.cluster?.refusal(this, names, asking);
    if (refusal) {
      this.simulation.note(this.name, () => `${script.name} ${names.join(' ')} → ${refusal.message}`);
      throw refusal;
    }
    const heldOnes = names.filter((each) => this.isHeld(each));
    const reply = this.reply(script, keys, args);
    for (const each of names) this.noteFreed(each, heldOnes.includes(each));
    if (this.real) await this.simulation.await(this.compare(this.real, script, keys, args, reply));
    this.simulation.note(
      this.name,
      () => `${script.name} ${names.join(' ')} ${JSON.stringify(args)} → ${String(reply)}`,
    );
    for (const watcher of this.watchers) watcher({ script: script.name, keys, args, reply, heldBefore, waitingBefore });
    return reply;
  }

  /** A script that its server refuses is a mistake of the library, or of its translation. */
  private reply<S extends Script>(script: S, keys: KeysOf<S>, args: ArgumentsOf<S>): ScriptReply {
    const { keyCount, parameters } = encode(script, keys, args);
    try {
      const execute = translated[script.name];
      if (!execute) throw new Error(`${script.name} is not translated`);
      const reply = runScript(this.store, execute, parameters.slice(0, keyCount), parameters.slice(keyCount));
      if (!isReplyOf(script, reply)) throw new Error(`${script.name} never replies ${JSON.stringify(reply)}`);
      return reply;
    } catch (error) {
      this.simulation.violate('simulated server', String(error));
      throw error instanceof Refusal ? error : new Error('The simulated server failed', { cause: error });
    }
  }

  private async compare<S extends Script>(
    real: RealScripts,
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    reply: ScriptReply,
  ): Promise<void> {
    const difference = await real.compare(this.name, this.now, script, keys, args, reply);
    if (difference !== undefined) this.simulation.violate('same as on Redis', difference);
  }

  remaining(mode: Mode, name: string, owner: OwnerId): number {
    return this.remainingHere(mode, name, owner) / this.rate;
  }

  /** Whether any owner has the lock. */
  isHeld(name: string): boolean {
    return this.stored.isThere(name);
  }

  wasFreed(name: string): boolean {
    return this.freed.has(name) && !this.isHeld(name);
  }

  private noteFreed(name: string, wasHeld: boolean): void {
    if (this.isHeld(name)) this.freed.delete(name);
    else if (wasHeld) this.freed.add(name);
  }

  private remainingHere(mode: Mode, name: string, owner: OwnerId): number {
    if (mode !== 'exclusive') return this.stored.remainingOfHalf(mode, name, owner);
    return this.stored.holderOf(name) === owner ? this.stored.remaining(name) : -2;
  }
}
