import { type Channel, tracingChannel } from 'node:diagnostics_channel';
import type { OfLock } from './life-cycle-events.js';

/** Whether any of these channels has a subscriber. On the hot path, see docs/architecture.md#hot-path. */
export const isSubscribed = (channels: readonly Channel[]): boolean => {
  for (const { hasSubscribers } of channels) if (hasSubscribers) return true;
  return false;
};

/** The message of `tracing:nest-redis-lock:wait:*`, one object from the call that acquires to its outcome. */
export interface WaitTrace extends OfLock {
  /** Whether the lock was not free at once. */
  isContended: boolean;
  /** Present when acquired. */
  owner?: string | undefined;
  /** Whether its owner held the lock already. */
  isReentry?: boolean;
  /** Present when not acquired. */
  error?: unknown;
}

/** The message of `tracing:nest-redis-lock:hold:*`, one object from the acquisition to the end of the hold. */
export interface HoldTrace extends OfLock {
  readonly owner: string | undefined;
  /** The acquisition that led to it. Absent if the lock was not acquired but attached or converted. */
  readonly wait?: WaitTrace | undefined;
  /** Why it was lost. Absent: it was released, or is still held. */
  error?: unknown;
}

/** From the call that acquires to its outcome. */
export const WAIT = tracingChannel<WaitTrace>('nest-redis-lock:wait');
/** From the acquisition to the end of the hold. */
export const HOLD = tracingChannel<HoldTrace>('nest-redis-lock:hold');

const channelsOf = ({ start, end, asyncStart, asyncEnd, error }: typeof WAIT | typeof HOLD): readonly Channel[] => [
  start,
  end,
  asyncStart,
  asyncEnd,
  error,
];

const HOLD_CHANNELS = channelsOf(HOLD);
const ALL_CHANNELS = [...channelsOf(WAIT), ...HOLD_CHANNELS];

/** Whether waits or holds are traced. */
export const areTraced = (): boolean => isSubscribed(ALL_CHANNELS);

/** Publishes the beginning in the context of the caller, which a tracer may want to know. */
export const beginWait = (trace: WaitTrace): void => {
  WAIT.start.publish(trace);
  WAIT.end.publish(trace);
};

export const endWait = (trace: WaitTrace): void => {
  if (trace.error !== undefined) WAIT.error.publish(trace);
  WAIT.asyncStart.publish(trace);
  WAIT.asyncEnd.publish(trace);
};

/** The traces of current holds, by the object that stands for the hold: an owner id may be that of two holds. */
const traces = new WeakMap<object, HoldTrace>();
/** Whether there may be traces, so that a process that traces nothing does not look for them. */
let wereHoldsTraced = false;

export const beginHold = (hold: object, trace: HoldTrace): void => {
  if (!isSubscribed(HOLD_CHANNELS)) return;
  wereHoldsTraced = true;
  traces.set(hold, trace);
  HOLD.start.publish(trace);
  HOLD.end.publish(trace);
};

/** @param error Why it was lost. Absent: it was released. */
export const endHold = (hold: object, error?: unknown): void => {
  const trace = wereHoldsTraced ? traces.get(hold) : undefined;
  if (!trace) return;
  traces.delete(hold);
  if (error !== undefined) {
    trace.error = error;
    HOLD.error.publish(trace);
  }
  HOLD.asyncStart.publish(trace);
  HOLD.asyncEnd.publish(trace);
};
