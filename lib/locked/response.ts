import { finished, Writable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';

/** The response that is being written: Fastify wraps Node's, Express extends it. */
const writableOf = (response: unknown): Writable | undefined => {
  if (response instanceof Writable) return response;
  const wrapped = typeof response === 'object' && response !== null && 'raw' in response ? response.raw : undefined;
  return wrapped instanceof Writable ? wrapped : undefined;
};

/** Resolves when the response of an HTTP request is complete, or its client gone; at once for other transports. */
export const responseDone = (context: ExecutionContext): Promise<void> => {
  const response = context.getType() === 'http' ? writableOf(context.switchToHttp().getResponse<unknown>()) : undefined;
  if (!response || response.writableFinished || response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    // Any outcome is an end: whoever reads the response learns of errors elsewhere.
    finished(response, { readable: false }, () => resolve());
  });
};
