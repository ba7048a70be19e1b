import type { Channel } from 'node:diagnostics_channel';
import { diag, type Tracer } from '@opentelemetry/api';
import { HOLD, type HoldTrace, WAIT, type WaitTrace } from '../../events/hold-tracing.js';
import { LockSpans } from './lock-spans.js';

/** Subscribes to a channel. Returns a function that stops it. */
const subscribe = (channel: Channel, listener: (message: unknown) => void): (() => void) => {
  const heard = (message: unknown): void => {
    try {
      listener(message);
    } catch (error) {
      // The channel would make it an uncaught exception of the process.
      diag.error('nest-redis-lock: a span was not made', error);
    }
  };
  channel.subscribe(heard);
  return () => {
    channel.unsubscribe(heard);
  };
};

/**
 * Makes a span of each acquisition, and one of each hold. The beginning of an acquisition is published in the context of
 * its caller; all that follows may run in the context of the caller that released the lock.
 * @returns A function that stops it, and ends the spans that have not ended.
 */
export const traceLocks = (tracer: Tracer): (() => void) => {
  const spans = new LockSpans(tracer);
  const stops = [
    subscribe(WAIT.start, (wait) => spans.beginWait(wait as WaitTrace)),
    subscribe(WAIT.asyncEnd, (wait) => spans.endWait(wait as WaitTrace)),
    subscribe(HOLD.start, (hold) => spans.beginHold(hold as HoldTrace)),
    subscribe(HOLD.asyncEnd, (hold) => spans.endHold(hold as HoldTrace)),
  ];
  return () => {
    for (const stop of stops) stop();
    spans.endAll();
  };
};
