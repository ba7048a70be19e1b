import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Credentials } from './certificates.js';

export interface Whereabouts {
  readonly host: string;
  readonly port: number;
  readonly password: string | undefined;
  /** How to get in, where the server speaks TLS alone. */
  readonly tls: Credentials | undefined;
}

const PATIENCE_MS = 500;

/** Whether the server there is ready and is ours: another one may have taken the port, and answers just as well. */
export function answers(where: Whereabouts, pid: number | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = open(where);
    let reply = '';
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    const auth = where.password === undefined ? '' : `AUTH ${where.password}\r\n`;
    socket.setTimeout(PATIENCE_MS);
    socket.once(where.tls === undefined ? 'connect' : 'secureConnect', () =>
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

// Whose certificate it shows is for the test to look at.
const open = ({ host, port, tls }: Whereabouts): Socket =>
  tls === undefined ? connect({ host, port }) : connectTls({ host, port, ...tls, rejectUnauthorized: false });
