import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { scripts } from '../../lib/backend/scripts/scripts.generated.js';
import { isReplyOf } from '../../lib/backend/scripts/script.js';
import { RequestFrames } from '../servers/proxy/request-frames.js';

/** A value in RESP2. `Raw` is sent unchanged. */
export type Reply = null | number | bigint | string | Raw | readonly Reply[];

export class Raw {
  constructor(readonly bytes: string) {}
}

const encode = (reply: Reply): string => {
  if (reply === null) return '$-1\r\n';
  if (reply instanceof Raw) return reply.bytes;
  if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
  if (typeof reply === 'object') return `*${reply.length}\r\n${reply.map(encode).join('')}`;
  return `:${reply}\r\n`;
};

const decode = (frame: Buffer): string[] =>
  frame
    .toString()
    .split('\r\n')
    .filter((_, index) => index > 0 && index % 2 === 0);

/** The names of scripts by their texts, which EVAL has, and their hashes. */
const scriptNames = new Map(
  Object.entries(scripts.lock).flatMap(([name, { text }]) => [
    [text, name],
    [createHash('sha1').update(text).digest('hex'), name],
  ]),
);

/** A command with the name of its script, for tests. */
export interface Command {
  readonly name: string;
  readonly args: readonly string[];
}

/**
 * A server that grants everything, and gives other replies if a test sets them. Use it only for wrong replies, because
 * a real Redis never sends them.
 */
export class FakeRedis {
  readonly commands: Command[] = [];
  /** The test's reply to a command; `undefined` leaves the command to the fake. */
  answer: (command: Command) => Reply | undefined = () => undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {
    server.on('connection', (socket) => this.serve(socket));
  }

  static async start(): Promise<FakeRedis> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The fake has no port');
    return new FakeRedis(server, `redis://127.0.0.1:${address.port}`);
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** The number of commands that match. */
  count(matches: (command: Command) => boolean): number {
    return this.commands.filter(matches).length;
  }

  private serve(socket: Socket): void {
    const frames = new RequestFrames();
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      for (const frame of frames.push(chunk)) {
        const [name = '', ...args] = decode(frame);
        const lower = name.toLowerCase();
        const command =
          lower === 'evalsha' || lower === 'eval'
            ? { name: scriptNames.get(args[0] ?? '') ?? lower, args: args.slice(1) }
            : { name: lower, args };
        this.commands.push(command);
        const reply = this.answer(command);
        socket.write(encode(reply === undefined ? this.usual(command) : reply));
      }
    });
  }

  /** The reply of a server on which no other owner holds anything. */
  private usual(command: Command): Reply {
    const reply = this.replyTo(command);
    const script = Object.entries(scripts.lock).find(([name]) => name === command.name)?.[1];
    if (script && !isReplyOf(script, reply)) throw new Error(`The fake does not know what ${command.name} replies`);
    return reply;
  }

  private replyTo({ name, args }: Command): Reply {
    const now = Date.now();
    switch (name) {
      case 'hello':
        return new Raw("-ERR unknown command 'HELLO'\r\n");
      case 'info':
        return 'redis_version:7.0.0\r\nloading:0\r\n';
      case 'time':
        return [String(Math.floor(now / 1000)), String((now % 1000) * 1000)];
      case 'subscribe':
        return ['subscribe', args[0] ?? '', 1];
      case 'unsubscribe':
        return ['unsubscribe', args[0] ?? '', 0];
      case 'acquire':
        // lock, owner, lease, notAfter
        return [Number(args[3]), now];
      case 'wait':
        // lock, owner, lease, notAfter, waiters, entry, isNew
        return [Number(args[3]), now];
      case 'withdraw':
        return ['withdrawn', now];
      case 'hold':
        return ['held', now];
      case 'release':
        return 'released';
      case 'forceRelease':
        return ['released', '', now];
      case 'inspect':
        return ['locked', '', 1, 1000];
      case 'renew':
        return ['renewed', now, ...Array.from({ length: Number(args[0]) }, () => 1)];
      default:
        return new Raw('+OK\r\n');
    }
  }
}
