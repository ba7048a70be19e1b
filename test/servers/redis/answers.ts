import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Credentials } from './certificates.js';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly password: string | undefined;
  /** Credentials for a server that speaks only TLS. */
  readonly tls: Credentials | undefined;
}

const TIMEOUT_MS = 500;

/** Whether the server is ready and has this pid. Another server that has taken the port answers as well. */
export function answers(endpoint: Endpoint, pid: number | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open(endpoint);
    let reply = '';
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    const auth = endpoint.password === undefined ? '' : `AUTH ${endpoint.password}\r\n`;
    socket.setTimeout(TIMEOUT_MS);
    socket.once(endpoint.tls === undefined ? 'connect' : 'secureConnect', () =>
      socket.write(`${auth}INFO server\r\nPING\r\n`),
    );
    socket.on('data', (chunk) => {
      reply += chunk.toString();
      if (reply.includes(`process_id:${pid}\r\n`) && reply.includes('+PONG')) settle(true);
    });
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}

// Tests check the certificate of the server themselves.
const open = ({ host, port, tls }: Endpoint): Socket =>
  tls === undefined ? connect({ host, port }) : connectTls({ host, port, ...tls, rejectUnauthorized: false });
