import type { RedisLockOptions } from '../../lib/index.js';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chosenDriver } from '../servers/chosen-driver.cjs';
import { Client, openClient } from '../kit/client.js';
import { Worker } from '../servers/worker/worker.js';
import type { ChaosCase } from './case.js';
import { monotonicNow } from './history/entry.js';
import { type History, type Killed, readHistory } from './history/history.js';
import { type Load, type LoadSetup, PERMITS } from './load/load.js';
import type { api } from './load/load.worker.js';
import { GrantCounter } from './grant-counter.js';
import { Rng } from './rng.js';
import { keysOf, type Topology } from './topologies/topology.js';
import { judge, type Verdict } from './verdict.js';

/** Short, so that every fault outlasts some leases. */
export const LEASE_MS = 1500;
export const COMMAND_MS = 300;
export const POLL_MS = 1000;

const OPTIONS = {
  ...{ commandTimeout: COMMAND_MS, renewedLease: LEASE_MS, safetyPoll: POLL_MS, fairWaitTimeout: 1500 },
  driver: chosenDriver,
};
/** The time within which every attempt must have an answer after the load is told to stop, ms. */
const STOP_MS = 6000;

interface Process {
  readonly worker: Worker<typeof api>;
  readonly path: string;
  killed?: number;
  paused: boolean;
}

/** One run of one case: the servers, the processes that use them, and the faults injected into both. */
export class ChaosRun {
  readonly rng: Rng;
  /** The faults injected so far, with their times, ms from the start. */
  readonly log: string[] = [];
  /** The violations that the case itself found. */
  readonly special: string[] = [];
  /** Counts how often a release gave a lock to a client that waited. */
  private readonly grants: GrantCounter;
  private readonly processes: Process[] = [];
  private readonly clients: Client[] = [];
  private readonly closers: (() => Promise<unknown>)[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'chaos-'));
  private readonly started = performance.now();
  private loads: readonly Load[] = [];
  private stalled = false;

  constructor(
    readonly chaos: ChaosCase,
    readonly topology: Topology,
    readonly seed: number,
    /** The factor by which faults and load may last longer than usual. */
    readonly scale: number,
  ) {
    this.rng = new Rng(seed);
    this.grants = new GrantCounter(topology);
  }

  /** The options of every client, with those of the case. */
  get options(): RedisLockOptions {
    return { ...OPTIONS, ...this.topology.options, ...this.chaos.options };
  }

  note(what: string): void {
    this.log.push(`${Math.round(performance.now() - this.started)} ms: ${what}`);
  }

  /** Records a violation unless the condition holds. */
  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.special.push(otherwise);
  }

  /** Fails if the condition does not hold within `ms`. */
  async until(condition: () => boolean | Promise<boolean>, ms: number, what: string): Promise<boolean> {
    const limit = performance.now() + ms;
    while (!(await condition())) {
      if (performance.now() > limit) {
        this.special.push(`not within ${ms} ms: ${what}`);
        return false;
      }
      await sleep(10);
    }
    return true;
  }

  /** A client in this process. */
  open(options: RedisLockOptions = {}): Client {
    const client = openClient({ ...this.options, ...options });
    this.clients.push(client);
    return client;
  }

  /** Registers a function that closes resources of the case. */
  onEnd(close: () => Promise<unknown>): void {
    this.closers.push(close);
  }

  /** Starts another process with this load. */
  async spawn(loads: readonly Load[] = this.loads, options: RedisLockOptions = {}): Promise<number> {
    const index = this.processes.length;
    const path = join(this.folder, `${index}.jsonl`);
    const setup: LoadSetup = { options: { ...this.options, ...options }, path, seed: this.seed * 100 + index };
    const file = new URL('./load/load.worker.ts', import.meta.url);
    const worker = await Worker.start<typeof api>(file, { args: [JSON.stringify(setup)] });
    this.processes.push({ worker, path, paused: false });
    await worker.call('start', loads);
    return index;
  }

  async startLoad(loads: readonly Load[], processes: number): Promise<void> {
    this.loads = loads;
    await this.fillSemaphores();
    await Promise.all(Array.from({ length: loads.length === 0 ? 0 : processes }, () => this.spawn()));
    if (loads.length > 0) await this.progress('everything works at first');
  }

  /** Resolves when the load has made progress on every process that is alive and not paused. */
  async progress(what: string, ms = 10_000): Promise<void> {
    const alive = this.processes.filter(({ killed, paused }) => killed === undefined && !paused);
    const before = await Promise.all(alive.map(({ worker }) => worker.call('grants')));
    await this.until(
      async () => {
        const now = await Promise.all(alive.map(({ worker }) => worker.call('grants')));
        return now.every((grants, index) => grants > (before[index] ?? 0));
      },
      ms,
      `${what}: every process gets something`,
    );
  }

  /** The id of a process as a client. */
  clientOf(index: number): Promise<string> {
    return this.processAt(index).worker.call('clientId');
  }

  /** The index of a process with this number in the operating system. */
  processOf(pid: number): number {
    const index = this.processes.findIndex(({ worker }) => worker.pid === pid);
    if (index === -1) throw new Error(`No process of the load has the number ${pid}`);
    return index;
  }

  pauseProcess(index: number): void {
    const process = this.processAt(index);
    process.paused = true;
    this.stalled = true;
    process.worker.kill('SIGSTOP');
    this.note(`process ${index} paused`);
  }

  resumeProcess(index: number): void {
    const process = this.processAt(index);
    process.worker.kill('SIGCONT');
    process.paused = false;
    this.note(`process ${index} resumed`);
  }

  /** Keeps the event loop of a process busy. */
  async blockProcess(index: number, ms: number): Promise<void> {
    this.stalled = true;
    this.note(`process ${index} busy for ${ms} ms`);
    await this.processAt(index).worker.call('block', ms);
  }

  async killProcess(index: number): Promise<void> {
    const process = this.processAt(index);
    process.killed = monotonicNow();
    process.worker.kill('SIGKILL');
    this.note(`process ${index} killed`);
    await process.worker.exited;
  }

  get processCount(): number {
    return this.processes.length;
  }

  /** Ends the load, waits until all leases have ended, and checks the history. */
  async finish(): Promise<{ readonly verdict: Verdict; readonly history: History }> {
    await this.topology.settled();
    const alive = this.processes.filter(({ killed }) => killed === undefined);
    const ends = await Promise.all(alive.map(({ worker }) => worker.call('stop', STOP_MS).catch(() => 'stuck')));
    await Promise.all(this.clients.map((client) => client.close()));
    const leakedKeys = await this.leakedKeys();
    await Promise.all(alive.map(({ worker }) => worker.stop()));
    const killed: Killed[] = this.processes.flatMap(({ path, killed: at }) => (at === undefined ? [] : [{ path, at }]));
    const history = readHistory(
      this.processes.map(({ path }) => path),
      killed,
    );
    const stuckProcesses = ends.filter((end) => end === 'stuck').length;
    const grants = await this.grants.finish();
    const observed = { leakedKeys, grants, stuckProcesses, stalled: this.stalled };
    return { verdict: judge(this.chaos, history, observed, this.special), history };
  }

  async close(): Promise<void> {
    await Promise.all(this.closers.map((close) => close()));
    await Promise.all(this.processes.map(({ worker }) => worker.stop()));
    this.grants.stop();
    await this.topology.stop();
  }

  /** Keys that are still there when every lease must be over. */
  private async leakedKeys(): Promise<string[]> {
    // The place of a killed waiter, or one that a fail-over has brought back, ends by itself. The queue ends a minute
    // later.
    const { losesData = false, options } = this.chaos;
    const isLeft = losesData || options?.['restartGuard'] === true || this.processes.some(({ killed }) => killed);
    const isAllowed = (key: string, ttl: number): boolean =>
      /^redisson_(lock_token|unlock_latch):/.test(key) ||
      key.includes('semaphore:') ||
      (isLeft && ttl > 0 && /^redisson_lock_(queue|timeout):|:waiters$/.test(key)) ||
      (this.chaos.mayLeave?.test(key) ?? false);
    let left: string[] = [];
    const limit = performance.now() + 3 * LEASE_MS + 2000;
    do {
      await sleep(100);
      left = (await keysOf(this.topology)).filter(({ key, ttl }) => !isAllowed(key, ttl)).map(({ key }) => key);
    } while (left.length > 0 && performance.now() < limit);
    return left;
  }

  private async fillSemaphores(): Promise<void> {
    const wanted = this.loads.filter(({ kind }) => kind === 'semaphore' || kind === 'permits');
    if (wanted.length === 0) return;
    const { locks } = this.open();
    for (const { kind, names } of wanted) {
      for (const name of names) {
        if (kind === 'semaphore') await locks.getSemaphore(name).trySetPermits(PERMITS);
        else await locks.getPermitExpirableSemaphore(name).trySetPermits(PERMITS);
      }
    }
  }

  private processAt(index: number): Process {
    const process = this.processes[index];
    if (!process) throw new Error(`There is no process ${index}`);
    return process;
  }
}
