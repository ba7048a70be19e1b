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

/** Resolves when the response of an HTTP request is complete, or its client gone; at once for other transports. */
export const responseDone = (context: ExecutionContext): Promise<void> => {
  const response = context.getType() === 'http' ? streamOf(context.switchToHttp().getResponse<unknown>()) : undefined;
  if (!response || response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    // Any outcome is an end: whoever reads the response learns of errors elsewhere.
    finished(response, { readable: false }, () => resolve());
  });
};
