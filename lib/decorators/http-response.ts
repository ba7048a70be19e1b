import { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { finished, Writable } from 'node:stream';
import type { ExecutionContext } from '@nestjs/common';

/**
 * The stream being written: Node's response (Express extends it, Fastify wraps it), or over HTTP/2 the stream below it.
 */
const streamOf = (response: unknown): Writable | ServerResponse | undefined => {
  // ServerResponse is a legacy stream and not an instance of Writable.
  if (response instanceof Writable || response instanceof ServerResponse) return response;
  if (typeof response !== 'object' || response === null) return undefined;
  if ('raw' in response) return streamOf(response.raw);
  return 'stream' in response ? streamOf(response.stream) : undefined;
};

const responseOf = (context: ExecutionContext): Writable | ServerResponse | undefined =>
  context.getType() === 'http' ? streamOf(context.switchToHttp().getResponse<unknown>()) : undefined;

/**
 * The response's connection. With pipelined requests on one connection, only the response being written emits `close`;
 * the others must watch the connection itself.
 */
const connectionOf = (response: Writable | ServerResponse): Socket | undefined => {
  const connection: unknown = response instanceof ServerResponse ? response.req.socket : undefined;
  return connection instanceof Socket ? connection : undefined;
};

/** Callbacks per connection: one `close` listener each, however many requests a client pipelines on it. */
const closings = new WeakMap<Socket, Set<() => void>>();

const onSocketClose = (connection: Socket, callback: () => void): (() => void) => {
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

/**
 * Calls back once response or connection has closed, or at once if already closed. Returns a function that cancels it.
 */
const whenClosed = (response: Writable | ServerResponse, callback: () => void): (() => void) => {
  const connection = connectionOf(response);
  if (response.destroyed || connection?.destroyed) {
    callback();
    return () => {};
  }
  response.once('close', callback);
  const stopListening = connection && onSocketClose(connection, callback);
  return () => {
    response.off('close', callback);
    stopListening?.();
  };
};

/** Calls `onGone` if the client disconnects before it has its response. Returns a function that cancels it. */
export const onClientDisconnect = (context: ExecutionContext, onGone: () => void): (() => void) => {
  const response = responseOf(context);
  if (!response) return () => {};
  return whenClosed(response, () => {
    if (!response.writableFinished) onGone();
  });
};

/** Resolves when an HTTP response is complete or its client disconnected; at once for other transports. */
export const responseDone = (context: ExecutionContext): Promise<void> => {
  const response = responseOf(context);
  if (!response || response.writableFinished) return Promise.resolve();
  return new Promise((resolve) => {
    const stopListening = whenClosed(response, resolve);
    // Any outcome ends the response; errors are reported to the reader of the response.
    finished(response, { readable: false }, () => {
      stopListening();
      resolve();
    });
  });
};
