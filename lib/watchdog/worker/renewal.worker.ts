import { parentPort, workerData } from 'node:worker_threads';
import { type BackendListener, noListener } from '../../backend/backend-listener.js';
import type { LockOperations } from '../../backend/lock-operations.js';
import { serverOf, targetOf } from '../../backend/plain-target.js';
import { makeMasters } from '../../backend/red-lock-node.js';
import { RedisBackend } from '../../backend/redis-backend.js';
import { openTransport } from '../../backend/transport.js';
import { messageOf } from '../../errors.js';
import { MonotonicScheduler, systemScheduler } from '../../time/scheduler.js';
import { BATCH } from '../renewal-schedules.js';
import { MainThreadProfile } from './main-thread-profile.js';
import { SharedBeat } from './shared-beat.js';
import { SharedStack } from './shared-stack.js';
import { sharedNow, SharedTimes } from './shared-times.js';
import type { HoldMessage, WorkerData, WorkerProblem } from './worker-data.js';
import { BACKEND_KINDS, type DueHold, type RenewableKind, WorkerHolds } from './worker-holds.js';

/** How many of its time-outs a command may take effect for: the clock of the server is known only roughly. */
const TIMEOUTS = 2;

type Operations = Pick<LockOperations, 'renew'>;

const { servers, masters, commandTimeout, beat, stack, longest } = workerData as WorkerData;

const effectiveFor = TIMEOUTS * Math.max(commandTimeout, masters?.nodeTimeout ?? 0);

const tell = (reason: string): void => {
  const problem: WorkerProblem = { reason };
  parentPort?.postMessage(problem);
};

const scheduler = new MonotonicScheduler(systemScheduler, (error) => tell(messageOf(error)));
const listener: BackendListener = { ...noListener, unavailable: ({ reason }) => tell(reason) };

const connect = (): ReadonlyMap<RenewableKind, Operations> => {
  const operations = new Map<RenewableKind, Operations>();
  if (servers) {
    const backend = new RedisBackend(openTransport(targetOf(servers), { commandTimeout }, scheduler), {}, scheduler);
    for (const kind of BACKEND_KINDS) operations.set(kind, backend[kind]);
    backend.watch(listener);
    backend.open();
  }
  if (masters) {
    const { nodes, ...rules } = masters;
    const targets = new Map([...nodes].map(([address, node]) => [address, serverOf(node)] as const));
    const quorum = makeMasters({ ...rules, nodes: targets }, { commandTimeout }, scheduler);
    operations.set('masters', quorum.lock);
    // One that is missing costs a vote; the main thread tells of it.
    quorum.open();
  }
  return operations;
};

const operations = connect();
const sharedBeat = new SharedBeat(beat);
const holds = new WorkerHolds(sharedNow, () => sharedBeat.last, longest);
const profile = stack && new MainThreadProfile(scheduler, () => sharedBeat.last, new SharedStack(stack));

/** Renews holds of one kind. Never rejects: what fails is tried again. */
const renew = async (by: Operations, batch: readonly DueHold[]): Promise<void> => {
  const now = sharedNow();
  for (const { hold, lease } of batch) hold.times.request(lease, now, now + effectiveFor);
  const renewals = batch.map(({ hold: { name, owner }, lease }) => ({ name, owner, lease }));
  const outcome = await by.renew(renewals).catch(() => undefined);
  const answeredAt = sharedNow();
  batch.forEach(({ hold }, index) => {
    const isHeld = outcome?.held[index];
    if (outcome === undefined || isHeld === undefined) return holds.failed(hold);
    if (!isHeld) return holds.gone(hold);
    const sent = answeredAt - outcome.sent.leastElapsed;
    hold.times.confirm(sent, outcome.sent.wallStartedAt ?? 0, answeredAt);
    holds.renewed(hold, sent);
  });
};

const renewDue = (): void => {
  const byKind = new Map<RenewableKind, DueHold[]>();
  for (const due of holds.takeDue()) {
    const { kind } = due.hold;
    const batch = byKind.get(kind);
    if (batch) batch.push(due);
    else byKind.set(kind, [due]);
  }
  for (const [kind, due] of byKind) {
    const by = operations.get(kind);
    if (!by) continue;
    for (let start = 0; start < due.length; start += BATCH) void renew(by, due.slice(start, start + BATCH));
  }
  // Nothing is due while the main thread runs.
  if (byKind.size > 0) void profile?.take();
};

let look: NodeJS.Timeout | undefined;
/** When the next look is, on the clock of all threads. */
let lookAt = Number.POSITIVE_INFINITY;

const plan = (): void => {
  if (holds.size === 0) return;
  const at = sharedNow() + holds.pause;
  if (at >= lookAt) return;
  clearTimeout(look);
  lookAt = at;
  look = setTimeout(() => {
    lookAt = Number.POSITIVE_INFINITY;
    renewDue();
    plan();
  }, at - sharedNow());
};

parentPort?.on('message', ({ memory, ...hold }: HoldMessage) => {
  holds.add({ ...hold, times: new SharedTimes(memory) });
  plan();
});
