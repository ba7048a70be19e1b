import { extname, join } from 'node:path';
import { isMainThread, Worker } from 'node:worker_threads';
import type { LockEvents } from '../../events/lock-events.js';
import { messageOf } from '../../errors.js';
import { runInBackground } from '../../time/background.js';
import type { MonotonicScheduler } from '../../time/scheduler.js';
import type { Watched } from '../renewal-schedules.js';
import type { RenewingThread } from '../watchdog.js';
import { SharedBeat } from './shared-beat.js';
import { SharedStack } from './shared-stack.js';
import { sharedNow, SharedTimes } from './shared-times.js';
import type { HoldMessage, WorkerData, WorkerProblem } from './worker-data.js';
import type { RenewableKind } from './worker-holds.js';
import { WorkerRenewals } from './worker-renewals.js';

/**
 * The file of the worker: beside this one, in the sources as in the package. In the bundle of an application it may be
 * missing, and the names of the place may be, too.
 */
const fileOfWorker = (): string => join(__dirname, `renewal.worker${extname(__filename)}`);

const UNBUNDLED = 'if the application is bundled, leave nest-redis-lock out of the bundle';

/**
 * A worker thread with a connection of its own, which renews the holds of the watchdog while the event loop of the main
 * thread stands. It is told of each hold with the grant. If it cannot renew, the watchdog goes on as without it.
 */
export class RenewalWorker implements RenewingThread {
  private readonly beatMemory = new SharedBeat();
  /** Absent in a thread that an application has started: a worker can look into the main thread of the process only. */
  private readonly stackMemory = isMainThread ? new SharedStack() : undefined;
  private worker: Worker | undefined;
  private isClosing = false;

  /** @param kinds The operations by which holds are renewed that the worker can renew. */
  constructor(
    private readonly data: Omit<WorkerData, 'beat' | 'stack'>,
    private readonly kinds: ReadonlyMap<Watched['operations'], RenewableKind>,
    private readonly scheduler: MonotonicScheduler,
    private readonly events: Pick<LockEvents, 'emit'>,
  ) {}

  /** Starts the thread, without waiting for it. It never keeps the process running. */
  open(): void {
    this.beat();
    const [beat, stack] = [this.beatMemory.memory, this.stackMemory?.memory];
    const workerData: WorkerData = { ...this.data, beat, stack };
    try {
      this.worker = runInBackground(() => new Worker(fileOfWorker(), { workerData, name: 'nest-redis-lock' }));
    } catch (error) {
      this.failed(`it could not be started: ${messageOf(error)}; ${UNBUNDLED}`);
      return;
    }
    this.worker.unref();
    this.worker.on('message', ({ reason }: WorkerProblem) => this.failed(reason));
    this.worker.on('error', (error: Error & { readonly code?: unknown }) => {
      const remedy = error.code === 'MODULE_NOT_FOUND' ? `; ${UNBUNDLED}` : '';
      this.ended(`it has ended: ${messageOf(error)}${remedy}`);
    });
    this.worker.on('exit', (code) => this.ended(`it has ended with code ${code}`));
  }

  beat(): void {
    this.beatMemory.beat();
  }

  stackWithin(ms: number): readonly string[] | undefined {
    return this.stackMemory?.foundSince(sharedNow() - ms);
  }

  keep(hold: Watched): void {
    const { lease, name, owner, keptFor } = hold;
    const kind = this.kinds.get(hold.operations);
    if (!this.worker || kind === undefined || keptFor <= 0) {
      lease.otherRenewals?.end();
      return;
    }
    this.beat();
    const known = lease.otherRenewals;
    const isKnown = known instanceof WorkerRenewals && !known.times.isOver;
    const times = isKnown ? known.times : new SharedTimes();
    times.keep({ lease: hold.renewedLease, keptFor, neededLease: hold.neededLease });
    if (isKnown) return;
    lease.renewedByOthers(new WorkerRenewals(times, this.scheduler));
    const message: HoldMessage = { kind, name, owner, memory: times.memory };
    this.worker.postMessage(message);
  }

  /** Ends the thread. A renewal on its way changes nothing that is released, nor what others have acquired. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.worker?.terminate();
  }

  /** Called for an error, and for the end that follows it. */
  private ended(reason: string): void {
    if (!this.worker) return;
    this.worker = undefined;
    this.failed(reason);
  }

  private failed(reason: string): void {
    if (!this.isClosing) this.events.emit({ type: 'worker-failed', reason });
  }
}
