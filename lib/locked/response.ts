import { ServerResponse } from 'node:http';
import { finished, Writable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';

/** What is being written: Node's response, which Express extends and Fastify wraps; over HTTP/2 the stream below it. */
const streamOf = (response: unknown): Writable | ServerResponse | undefined => {
  // A ServerResponse is an older kind of stream than Writable.
  if (response instanceof Writable || response instanceof ServerResponse) return response;
  if (typeof response !== 'object' || response === null) return undefined;
  if ('raw' in response) return streamOf(response.raw);
  return 'stream' in response ? streamOf(response.stream) : undefined;
};

const responseOf = (context: ExecutionContext): Writable | ServerResponse | undefined =>
  context.getType() === 'http' ? streamOf(context.switchToHttp().getResponse<unknown>()) : undefined;

/** Calls `onGone` when the client goes before it has its response; returns how to call that off. */
export const whenClientGoes = (context: ExecutionContext, onGone: () => void): (() => void) => {
  const response = responseOf(context);
  if (!response) return () => {};
  const closed = (): void => {
    if (!response.writableFinished) onGone();
  };
  if (response.destroyed) closed();
  else response.once('close', closed);
  return () => void response.off('close', closed);
};

/** Resolves when the response of an HTTP request is complete, or its client gone; at once for other transports. */
export const responseDone = (context: ExecutionContext): Promise<void> => {
  const response = responseOf(context);
  if (!response || response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    // Any outcome is an end: whoever reads the response learns of errors elsewhere.
    finished(response, { readable: false }, () => resolve());
  });
};
