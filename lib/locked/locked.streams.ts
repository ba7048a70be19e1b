import { finished, Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Guard } from '../primitives/entered.js';
import type { Patience } from './locked.consumer.js';

/** The stream that a method returned, as it is or for Nest to send. */
export const streamIn = (result: unknown): Readable | undefined => {
  if (result instanceof Readable) return result;
  return result instanceof StreamableFile ? result.getStream() : undefined;
};

/** The locks stay held until the stream has ended, failed, or was destroyed, as when its client goes away. */
export const holdUntilFinished = (guard: Guard, stream: Readable, afterPatience: Patience): void => {
  const release = (): void => void guard.leave();
  const stopWaiting = afterPatience(() => {
    if (!stream.readableDidRead && stream.readableFlowing === null) release();
  });
  // Any outcome is an end: whoever reads the stream learns of errors.
  finished(stream, { writable: false }, () => {
    stopWaiting();
    release();
  });
};
