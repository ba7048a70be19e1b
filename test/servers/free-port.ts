import { createServer } from 'node:net';
import { once } from 'node:events';

/** A port on loopback that nobody listened on a moment ago; who takes it must be ready to find it gone. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port');
  return address.port;
}
