import type { Socket } from 'node:net';

/**
 * Closes a connection so that the other side sees a reset. `resetAndDestroy` ends the stream first, and if the other side
 * goes away in that moment, the socket is neither reset nor ever closed. Its second half alone has no such moment.
 */
export function reset(socket: Socket): void {
  // A stream that has ended is past that moment, and the other side has seen the end.
  if (!socket.writableEnded) Object.assign(socket, { resetAndClosing: true });
  socket.destroy();
}
