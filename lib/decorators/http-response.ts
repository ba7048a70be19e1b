import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
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

/**
 * Where several requests are under way on one connection, only the response whose turn it is hears that it has closed, so
 * the others ask the connection itself.
 */
const connectionOf = (response: Writable | ServerResponse): Socket | undefined => {
  const connection: unknown = response instanceof ServerResponse ? response.req.socket : undefined;
  return connection instanceof Socket ? connection : undefined;
};

/** What is to be called when a connection closes: it has one listener, however many requests a client puts on it. */
const closings = new WeakMap<Socket, Set<() => void>>();

const onceClosed = (connection: Socket, callback: () => void): (() => void) => {
  let callbacks = closings.get(connection);
  if (!callbacks) {
    const all = new Set<() => void>();
    connection.once('close', () => {
      for (const call of all) call();
    });
    closings.set(connection, all);
    callbacks = all;
  }
  callbacks.add(callback);
  return () => void callbacks.delete(callback);
};

/** Calls when the response or its connection has closed, and at once where that has been; returns how to call that off. */
const whenClosed = (response: Writable | ServerResponse, callback: () => void): (() => void) => {
  const connection = connectionOf(response);
  if (response.destroyed || connection?.destroyed) {
    callback();
    return () => {};
  }
  response.once('close', callback);
  const stopListening = connection && onceClosed(connection, callback);
  return () => {
    response.off('close', callback);
    stopListening?.();
  };
};

/** Calls `onGone` when the client goes before it has its response; returns how to call that off. */
export const whenClientGoes = (context: ExecutionContext, onGone: () => void): (() => void) => {
  const response = responseOf(context);
  if (!response) return () => {};
  return whenClosed(response, () => {
    if (!response.writableFinished) onGone();
  });
};

/** Resolves when the response of an HTTP request is complete, or its client gone; at once for other transports. */
export const responseDone = (context: ExecutionContext): Promise<void> => {
  const response = responseOf(context);
  if (!response || response.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    const stopListening = whenClosed(response, resolve);
    // Any outcome is an end: whoever reads the response learns of errors elsewhere.
    finished(response, { readable: false }, () => {
      stopListening();
      resolve();
    });
  });
};
