import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { kindOf } from '../../lib/backend/driver/failures.js';
import type { DriverConnection, DriverListener, RedisDriver } from '../../lib/backend/driver/redis-driver.js';
import type { ServerOptions } from '../../lib/backend/driver/server-options.js';
import { until } from '../kit/until.js';
import { FaultProxy } from '../servers/proxy/fault-proxy.js';
import { RedisServer } from '../servers/redis/redis-server.js';

/** Events of a connection, as they came. */
class Heard implements DriverListener {
  readonly messages: string[] = [];
  moved = 0;
  ends = 0;
  reason: unknown;

  onMessage(channel: string, message: string): void {
    this.messages.push(`${channel}: ${message}`);
  }

  onMoved(): void {
    this.moved += 1;
  }

  onEnd(reason?: unknown): void {
    this.ends += 1;
    this.reason = reason;
  }
}

const TIMEOUT = 1000;
const ignore = (): void => {};

/** What every driver promises to the connections above it. */
export const describeDriver = (name: string, driver: RedisDriver): void =>
  describe(`A driver of ${name}`, () => {
    let server: RedisServer;
    let proxy: FaultProxy;
    let admin: Redis;
    const opened: DriverConnection[] = [];

    beforeAll(async () => {
      server = await RedisServer.start();
      proxy = await FaultProxy.start(server);
      admin = new Redis(server.url);
    });

    afterEach(async () => {
      proxy.heal();
      for (const connection of opened.splice(0)) connection.destroy();
      await admin.flushall();
    });

    afterAll(async () => {
      admin.disconnect();
      await proxy.close();
      await server.stop();
    });

    const at = ({ host, port }: { readonly host: string; readonly port: number }): ServerOptions => ({ host, port });

    const connect = async (to: ServerOptions = at(server), signal = new AbortController().signal) => {
      const heard = new Heard();
      const connection = await driver.connect(to, { timeout: TIMEOUT, signal }, heard);
      opened.push(connection);
      return { connection, heard };
    };

    /** How a command fails. */
    const failure = async (reply: Promise<unknown>): Promise<string> =>
      reply.then(
        () => 'answered',
        (error: unknown) => kindOf(error) ?? `unknown: ${String(error)}`,
      );

    it('gives replies in the shapes of RESP 2', async () => {
      const { connection } = await connect();
      await admin.hset('h', { a: '1', b: '2' });
      const replies = [
        connection.send(['PING']),
        connection.send(['INCR', 'n']),
        connection.send(['GET', 'none']),
        connection.send(['HGETALL', 'h']),
        connection.send(['EVAL', 'return {1, "two", {redis.status_reply("OK")}, false}', '0']),
        connection.send(['INFO', 'server']),
      ];
      await expect(Promise.all(replies)).resolves.toEqual([
        'PONG',
        1,
        null,
        ['a', '1', 'b', '2'],
        [1, 'two', ['OK'], null],
        expect.stringContaining('run_id:'),
      ]);
    });

    it('answers commands of one turn and of later ones in their order', async () => {
      const { connection } = await connect();
      const order: number[] = [];
      const sent: Promise<unknown>[] = [];
      for (let n = 0; n < 300; n++) {
        sent.push(connection.send(['RPUSH', 'list', String(n)]).then((length) => order.push(Number(length))));
        if (n % 100 === 99) await sleep(1);
      }
      await Promise.all(sent);
      expect(order).toEqual(sent.map((_, n) => n + 1));
      await expect(admin.lrange('list', 0, -1)).resolves.toEqual(sent.map((_, n) => String(n)));
    });

    it('sends bytes as they are', async () => {
      const { connection } = await connect();
      const text = 'Größe\r\n$5\r\n鍵 \u0000 "\\';
      await connection.send(['SET', text, text]);
      await expect(connection.send(['GET', text])).resolves.toBe(text);
    });

    it('tells what the server refuses, with its code, and goes on', async () => {
      const { connection, heard } = await connect();
      await admin.set('text', 'a');
      const refused = connection.send(['INCR', 'text']);
      await expect(failure(refused)).resolves.toBe('refused');
      await expect(refused).rejects.toThrow(/^ERR value is not an integer/);
      const missing = connection.send(['EVALSHA', '0'.repeat(40), '0']);
      await expect(failure(missing)).resolves.toBe('refused');
      await expect(missing).rejects.toThrow(/^NOSCRIPT/);
      await expect(connection.send(['PING'])).resolves.toBe('PONG');
      expect(heard.ends).toBe(0);
    });

    it('sends what was held back', async () => {
      const { connection } = await connect();
      connection.cork();
      const replies = [connection.send(['INCR', 'n']), connection.send(['INCR', 'n'])];
      connection.uncork();
      await expect(Promise.all(replies)).resolves.toEqual([1, 2]);
    });

    it.each([false, true])('hears messages of its channels; sharded: %s', async (isSharded) => {
      if (isSharded && !(await admin.info('server')).includes('redis_version:7')) return;
      const { connection, heard } = await connect();
      const publish = (message: string): Promise<unknown> =>
        isSharded ? admin.spublish('c', message) : admin.publish('c', message);
      await connection.subscribe(['c', 'd'], isSharded);
      await expect(publish('one')).resolves.toBe(1);
      await until(() => heard.messages.length === 1);
      await expect(connection.send(['PING'])).resolves.toEqual(expect.anything());
      await connection.unsubscribe(['c'], isSharded);
      await expect(publish('two')).resolves.toBe(0);
      // Each order of what is asked for at once ends as the last one says.
      void connection.subscribe(['c'], isSharded);
      void connection.unsubscribe(['c'], isSharded);
      void connection.subscribe(['c'], isSharded);
      void connection.unsubscribe(['c'], isSharded);
      await connection.subscribe(['c'], isSharded);
      await expect(publish('three')).resolves.toBe(1);
      await until(() => heard.messages.length === 2);
      expect(heard.messages).toEqual(['c: one', 'c: three']);
    });

    it('tells what it never wrote from what was cut, and that it is over, once', async () => {
      const { connection, heard } = await connect(at(proxy));
      await connection.send(['PING']);
      const inFlight = [connection.send(['BLPOP', 'none', '0']), connection.send(['PING'])];
      await sleep(50);
      proxy.cutAll();
      await expect(Promise.all(inFlight.map(failure))).resolves.toEqual(['cut', 'cut']);
      await until(() => heard.ends > 0);
      await expect(failure(connection.send(['PING']))).resolves.toBe('not-written');
      await expect(failure(connection.subscribe(['c'], false))).resolves.toBe('not-written');
      connection.destroy();
      connection.end();
      await sleep(50);
      expect(heard.ends).toBe(1);
    });

    it('connects no second time', async () => {
      const { heard } = await connect(at(proxy));
      proxy.cutAll();
      await until(() => heard.ends === 1);
      await sleep(300);
      expect(proxy.open).toBe(0);
    });

    it('destroys a connection with a command in flight, though the server is silent', async () => {
      const { connection, heard } = await connect(at(proxy));
      const inFlight = connection.send(['BLPOP', 'none', '0']);
      connection.destroy();
      await expect(failure(inFlight)).resolves.toBe('cut');
      await until(() => heard.ends === 1);
    });

    it('ends a connection after what it has written', async () => {
      const { connection, heard } = await connect();
      connection.send(['SET', 'last', 'words']).catch(ignore);
      connection.end();
      await until(async () => (await admin.get('last')) === 'words');
      await until(() => heard.ends === 1);
    });

    it('says why there is no connection', async () => {
      await admin.call('ACL', 'SETUSER', 'joe', 'on', '>secret', '~*', '&*', '+@all');
      const joe = { ...at(server), username: 'joe' };
      await expect(connect({ ...joe, password: 'wrong' })).rejects.toThrow(/WRONGPASS/);
      await expect(connect({ ...at(server), port: 1 })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      const { connection } = await connect({ ...joe, password: 'secret' });
      await expect(connection.send(['ACL', 'WHOAMI'])).resolves.toBe('joe');
    });

    it.each<[string, (abort: () => void) => unknown]>([
      ['at once', (abort) => abort()],
      ['after a tick', (abort) => process.nextTick(abort)],
      ['after a turn', (abort) => setImmediate(abort)],
      ['after a millisecond', (abort) => setTimeout(abort, 1)],
      ['after three', (abort) => setTimeout(abort, 3)],
    ])('leaves nothing open if it is given up %s', async (_, soon) => {
      const clients = async (): Promise<number> =>
        String(await admin.client('LIST'))
          .trim()
          .split('\n').length;
      const before = await clients();
      const attempt = new AbortController();
      const login = { ...at(server), username: 'default', password: 'none' };
      const connecting = driver.connect(login, { timeout: TIMEOUT, signal: attempt.signal }, new Heard());
      soon(() => attempt.abort());
      // It may have been made before.
      await connecting.then(
        (connection) => connection.destroy(),
        () => {},
      );
      await until(async () => (await clients()) === before);
      await sleep(30);
      expect(await clients()).toBe(before);
    });

    it('gives up a connection that is not answered, when it is told to', async () => {
      const sockets = new Set<Socket>();
      const silent: Server = createServer((socket) => sockets.add(socket.on('error', ignore).resume()));
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
      const address = silent.address();
      if (typeof address !== 'object' || address === null) throw new Error('The server has no address');
      const { port } = address;
      try {
        const attempt = new AbortController();
        const login = { host: '127.0.0.1', port, username: 'joe', password: 'secret' };
        const connecting = connect(login, attempt.signal).catch((error: unknown) => error);
        await until(() => sockets.size === 1);
        attempt.abort();
        await expect(connecting).resolves.toBeInstanceOf(Error);
        const [socket] = sockets;
        await until(() => socket?.destroyed === true);
      } finally {
        for (const socket of sockets) socket.destroy();
        silent.close();
      }
    });
  });
