import { connect, type Socket } from 'node:net';
import {
  type Command,
  type DriverConnection,
  DriverError,
  type DriverListener,
  type RedisDriver,
} from 'nest-redis-lock/driver-kit';

/** An error reply, as a value: a refused part of an array fails no command. */
class Refusal {
  constructor(readonly message: string) {}
}

interface Parsed {
  readonly value: unknown;
  readonly end: number;
}

const LINE_END = Buffer.from('\r\n');

/** The reply of RESP 2 at `start`; `undefined`: it is not complete yet. */
const parse = (data: Buffer, start: number): Parsed | undefined => {
  const lineEnd = data.indexOf(LINE_END, start);
  if (lineEnd === -1) return undefined;
  const [type, line] = [String.fromCodePoint(data[start] ?? 0), data.toString('utf8', start + 1, lineEnd)];
  const end = lineEnd + LINE_END.length;
  if (type === '+') return { value: line, end };
  if (type === '-') return { value: new Refusal(line), end };
  if (type === ':') return { value: Number(line), end };
  const length = Number(line);
  if (length === -1) return { value: null, end };
  if (type === '*') return parseItems(data, end, length);
  if (type !== '$') throw new Error(`Protocol error, got ${JSON.stringify(type)}`);
  const last = end + length;
  if (data.length < last + LINE_END.length) return undefined;
  return { value: data.toString('utf8', end, last), end: last + LINE_END.length };
};

const parseItems = (data: Buffer, start: number, length: number): Parsed | undefined => {
  const value: unknown[] = [];
  let end = start;
  for (let n = 0; n < length; n++) {
    const item = parse(data, end);
    if (!item) return undefined;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
};

const encode = (command: readonly string[]): string =>
  `*${command.length}\r\n${command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`).join('')}`;

interface Waiting {
  /** Replies that are still to come: one for each channel of a subscription. */
  left: number;
  resolve(reply: unknown): void;
  reject(error: DriverError): void;
}

/** A driver as a user may write one, on a bare socket: the smallest that keeps all promises of the port. */
class SocketConnection implements DriverConnection {
  private unread = Buffer.alloc(0);
  private readonly waiting: Waiting[] = [];
  private hasEnded = false;

  constructor(
    private readonly socket: Socket,
    private readonly listener: DriverListener,
  ) {
    socket.on('data', (data) => this.received(data));
    socket.on('close', () => this.over());
  }

  send(command: Command): Promise<unknown> {
    return this.write(command, 1);
  }

  subscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    return this.write([isSharded ? 'SSUBSCRIBE' : 'SUBSCRIBE', ...channels], channels.length);
  }

  unsubscribe(channels: readonly string[], isSharded: boolean): Promise<unknown> {
    return this.write([isSharded ? 'SUNSUBSCRIBE' : 'UNSUBSCRIBE', ...channels], channels.length);
  }

  cork(): void {
    this.socket.cork();
  }

  uncork(): void {
    this.socket.uncork();
  }

  end(): void {
    this.socket.destroySoon();
  }

  destroy(): void {
    this.socket.destroy();
  }

  private write(command: Command, replies: number): Promise<unknown> {
    if (this.hasEnded || !this.socket.writable)
      return Promise.reject(new DriverError('not-written', 'The connection has ended'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ left: replies, resolve, reject });
      this.socket.write(encode(command));
    });
  }

  private received(data: Buffer): void {
    this.unread = Buffer.concat([this.unread, data]);
    let at = 0;
    try {
      for (let parsed = parse(this.unread, at); parsed; parsed = parse(this.unread, at)) {
        at = parsed.end;
        this.answered(parsed.value);
      }
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : undefined);
    }
    this.unread = this.unread.subarray(at);
  }

  private answered(reply: unknown): void {
    if (Array.isArray(reply) && /^s?message$/.test(String(reply[0]))) {
      this.listener.onMessage(String(reply[1]), String(reply[2]));
      return;
    }
    const [next] = this.waiting;
    if (!next) {
      if (Array.isArray(reply) && reply[0] === 'sunsubscribe') this.listener.onMoved();
      return;
    }
    next.left -= 1;
    if (reply instanceof Refusal) next.reject(new DriverError('refused', reply.message));
    else if (next.left === 0) next.resolve(reply);
    else return;
    this.waiting.shift();
  }

  private over(): void {
    this.hasEnded = true;
    const cut = new DriverError('cut', 'The connection was cut');
    for (const waiting of this.waiting.splice(0)) waiting.reject(cut);
    this.listener.onEnd(this.socket.errored ?? undefined);
  }
}

/** Without TLS, which a test of the port does not need. */
export const socketDriver: RedisDriver = {
  name: 'socket',
  connect: async ({ host = '127.0.0.1', port = 6379, username, password }, { timeout, signal }, listener) => {
    const socket = connect({ host, port: Number(port), signal, noDelay: true });
    socket.on('error', () => {});
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' })),
      timeout,
    );
    let isOpen = false;
    const connection = new SocketConnection(socket, {
      onMessage: (channel, message) => listener.onMessage(channel, message),
      onMoved: () => listener.onMoved(),
      onEnd: (reason) => isOpen && listener.onEnd(reason),
    });
    try {
      await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
      if (password) await connection.send(['AUTH', username || 'default', password]);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
    isOpen = true;
    return connection;
  },
};
