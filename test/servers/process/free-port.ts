import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections. Otherwise such a connection may have the port when a
 * killed server starts again, and a client that tries to reach it meanwhile may even be connected with itself.
 */
const LOWEST = 10_000;
const COUNT = 12_000;
const ATTEMPTS = 5;

/** Finds a port on loopback that is free now. With `offset`, the port that much above it is free, too. */
export async function freePort(offset = 0): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if ((await isFree(port)) && (offset === 0 || (await isFree(port + offset)))) return port;
  }
}

/** Calls `start` with a free port, and with another one if that was taken meanwhile. */
export async function onFreePort<T>(start: (port: number) => Promise<T>, offset = 0): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort(offset));
    } catch (error) {
      const portWasTaken = error instanceof Error && error.message.includes('Address already in use');
      if (!portWasTaken || attempt === ATTEMPTS) throw error;
    }
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
