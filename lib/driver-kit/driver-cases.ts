import { deepStrictEqual, match, ok, strictEqual } from 'node:assert';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { kindOf } from '../backend/driver/failures.js';
import {
  codeOf,
  type Command,
  type DriverConnection,
  type DriverListener,
  type RedisDriver,
} from '../backend/driver/redis-driver.js';
import type { ServerOptions } from '../backend/driver/server-options.js';
import { messageOf } from '../errors.js';
import { Gateway } from './gateway.js';
import { TimeLimit } from './time-limit.js';

/** One thing that every driver does. */
export interface DriverCase {
  readonly name: string;
  /** @throws AssertionError if the driver does not do it. */
  run(): Promise<void>;
}

/** Events of a connection, as they came. */
class Heard implements DriverListener {
  readonly messages: string[] = [];
  ends = 0;

  onMessage(channel: string, message: string): void {
    this.messages.push(`${channel}: ${message}`);
  }

  onMoved(): void {}

  onEnd(): void {
    this.ends += 1;
  }
}

const CONNECT_MS = 1000;
/** How long is waited for what must not happen. */
const QUIET_MS = 300;

const ignore = (): void => {};

/** How a command failed. */
const failure = (reply: Promise<unknown>): Promise<string> =>
  reply.then(
    () => 'answered',
    (error: unknown) => kindOf(error) ?? `no DriverError: ${messageOf(error)}`,
  );

/** Connections, gateways and names of one case. */
class Trial {
  /** Begins the names of its keys, channels and users. */
  readonly prefix = `driver-kit:${randomUUID()}:`;
  private readonly connections: DriverConnection[] = [];
  private readonly gateways: Gateway[] = [];
  private readonly time = new TimeLimit();

  constructor(
    readonly driver: RedisDriver,
    readonly server: ServerOptions,
  ) {}

  async run(check: Check): Promise<void> {
    try {
      await this.time.around(check(this).then(() => this.removeKeys()));
    } finally {
      for (const connection of this.connections) connection.destroy();
      for (const gateway of this.gateways) gateway.close();
    }
  }

  until(condition: () => boolean | Promise<boolean>): Promise<void> {
    return this.time.until(condition);
  }

  async connect(
    to = this.server,
    signal = new AbortController().signal,
  ): Promise<{ readonly connection: DriverConnection; readonly heard: Heard }> {
    const heard = new Heard();
    const connection = await this.driver.connect(to, { timeout: CONNECT_MS, signal }, heard);
    this.connections.push(connection);
    return { connection, heard };
  }

  /** Sends a command by a connection of its own. */
  async elsewhere(...command: Command): Promise<unknown> {
    const { connection } = await this.connect();
    try {
      return await connection.send(command);
    } finally {
      connection.end();
    }
  }

  async gateway(): Promise<{ readonly gateway: Gateway; readonly through: ServerOptions }> {
    const { host = '127.0.0.1', port = 6379 } = this.server;
    const gateway = await Gateway.open({ host, port: Number(port) });
    this.gateways.push(gateway);
    return { gateway, through: { ...this.server, host: gateway.host, port: gateway.port } };
  }

  async silence(): Promise<Gateway> {
    const gateway = await Gateway.open();
    this.gateways.push(gateway);
    return gateway;
  }

  private async removeKeys(): Promise<void> {
    const keys = await this.elsewhere('KEYS', `${this.prefix}*`);
    if (Array.isArray(keys) && keys.length > 0) await this.elsewhere('DEL', ...keys.map(String));
  }
}

type Check = (trial: Trial) => Promise<void>;

const repliesAsInResp2: Check = async (trial) => {
  const { connection } = await trial.connect();
  const key = (name: string): string => trial.prefix + name;
  const replies = [
    connection.send(['PING']),
    connection.send(['INCR', key('n')]),
    connection.send(['GET', key('none')]),
    connection.send(['HSET', key('h'), 'a', '1', 'b', '2']),
    connection.send(['HGETALL', key('h')]),
    connection.send(['EVAL', 'return {1, "two", {redis.status_reply("OK")}, false}', '0']),
  ];
  const expected = ['PONG', 1, null, 2, ['a', '1', 'b', '2'], [1, 'two', ['OK'], null]];
  deepStrictEqual(await Promise.all(replies), expected);
  match(String(await connection.send(['INFO', 'server'])), /run_id:/);
};

const order: Check = async (trial) => {
  const { connection } = await trial.connect();
  const list = `${trial.prefix}list`;
  const answered: number[] = [];
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < 300; n++) {
    sent.push(connection.send(['RPUSH', list, String(n)]).then((length) => answered.push(Number(length))));
    if (n % 100 === 99) await sleep(1);
  }
  await Promise.all(sent);
  const numbers = sent.map((_, n) => n);
  deepStrictEqual(
    answered,
    numbers.map((n) => n + 1),
  );
  deepStrictEqual(await connection.send(['LRANGE', list, '0', '-1']), numbers.map(String));
};

const bytes: Check = async (trial) => {
  const { connection } = await trial.connect();
  const text = 'Größe\r\n$5\r\n鍵 \u0000 "\\';
  const key = trial.prefix + text;
  await connection.send(['SET', key, text]);
  strictEqual(await connection.send(['GET', key]), text);
};

const refusals: Check = async (trial) => {
  const { connection, heard } = await trial.connect();
  const key = `${trial.prefix}text`;
  await connection.send(['SET', key, 'a']);
  const refused: readonly (readonly [Command, RegExp])[] = [
    [['INCR', key], /^ERR value is not an integer/],
    [['EVALSHA', '0'.repeat(40), '0'], /^NOSCRIPT/],
  ];
  for (const [command, message] of refused) {
    const reply = connection.send(command);
    strictEqual(await failure(reply), 'refused');
    match(await reply.then(String, messageOf), message);
  }
  strictEqual(await connection.send(['PING']), 'PONG');
  strictEqual(heard.ends, 0);
};

const cork: Check = async (trial) => {
  const { connection } = await trial.connect();
  connection.cork();
  const replies = [1, 2].map(() => connection.send(['INCR', `${trial.prefix}n`]));
  connection.uncork();
  deepStrictEqual(await Promise.all(replies), [1, 2]);
};

const messages =
  (isSharded: boolean): Check =>
  async (trial) => {
    const [subscribe, publish] = isSharded ? ['SSUBSCRIBE', 'SPUBLISH'] : ['SUBSCRIBE', 'PUBLISH'];
    // Servers before Redis 7 have no channels of shards.
    const known = await trial.elsewhere('COMMAND', 'INFO', subscribe);
    if (Array.isArray(known) && known[0] === null) return;
    const { connection, heard } = await trial.connect();
    const [one, two] = [`${trial.prefix}one`, `${trial.prefix}two`];
    await connection.subscribe([one, two], isSharded);
    strictEqual(await trial.elsewhere(publish, one, 'a'), 1);
    await trial.until(() => heard.messages.length === 1);
    // A connection with subscriptions is asked whether it still answers. The shape of this reply differs.
    ok(await connection.send(['PING']));
    await connection.unsubscribe([one], isSharded);
    strictEqual(await trial.elsewhere(publish, one, 'b'), 0);
    // Each order of what is asked for at once ends as the last one says.
    void connection.subscribe([one], isSharded);
    void connection.unsubscribe([one], isSharded);
    void connection.subscribe([one], isSharded);
    void connection.unsubscribe([one], isSharded);
    await connection.subscribe([one], isSharded);
    strictEqual(await trial.elsewhere(publish, one, 'c'), 1);
    await trial.until(() => heard.messages.length === 2);
    deepStrictEqual(heard.messages, [`${one}: a`, `${one}: c`]);
  };

const cut: Check = async (trial) => {
  const { gateway, through } = await trial.gateway();
  const { connection, heard } = await trial.connect(through);
  await connection.send(['PING']);
  const inFlight = [connection.send(['BLPOP', `${trial.prefix}none`, '0']), connection.send(['PING'])];
  await sleep(50);
  gateway.cut();
  deepStrictEqual(await Promise.all(inFlight.map(failure)), ['cut', 'cut']);
  await trial.until(() => heard.ends > 0);
  strictEqual(await failure(connection.send(['PING'])), 'not-written');
  strictEqual(await failure(connection.subscribe(['c'], false)), 'not-written');
  connection.destroy();
  connection.end();
  await sleep(QUIET_MS);
  strictEqual(heard.ends, 1, 'its end is told once');
  strictEqual(gateway.connections, 0, 'it connects no second time');
};

const destroy: Check = async (trial) => {
  const { connection, heard } = await trial.connect();
  const inFlight = connection.send(['BLPOP', `${trial.prefix}none`, '0']);
  connection.destroy();
  strictEqual(await failure(inFlight), 'cut');
  await trial.until(() => heard.ends === 1);
};

const end: Check = async (trial) => {
  const { connection, heard } = await trial.connect();
  const key = `${trial.prefix}last`;
  connection.send(['SET', key, 'words']).catch(ignore);
  connection.end();
  await trial.until(async () => (await trial.elsewhere('GET', key)) === 'words');
  await trial.until(() => heard.ends === 1);
};

const login: Check = async (trial) => {
  const user = `${trial.prefix}joe`;
  await trial.elsewhere('ACL', 'SETUSER', user, 'on', '>secret', '~*', '&*', '+@all');
  const joe = { ...trial.server, username: user };
  try {
    match(await trial.connect({ ...joe, password: 'wrong' }).then(() => 'connected', messageOf), /WRONGPASS/);
    const { connection } = await trial.connect({ ...joe, password: 'secret' });
    strictEqual(await connection.send(['ACL', 'WHOAMI']), user);
  } finally {
    await trial.elsewhere('ACL', 'DELUSER', user);
  }
};

const refusedConnection: Check = async (trial) => {
  const { gateway, through } = await trial.gateway();
  gateway.close();
  strictEqual(await trial.connect(through).then(() => 'connected', codeOf), 'ECONNREFUSED');
};

const givenUp =
  (soon: (abort: () => void) => unknown): Check =>
  async (trial) => {
    const { gateway, through } = await trial.gateway();
    const attempt = new AbortController();
    const withLogin = { ...through, username: 'default', password: 'none' };
    const connecting = trial.connect(withLogin, attempt.signal);
    soon(() => attempt.abort());
    // It may have been made before.
    await connecting.then(({ connection }) => connection.destroy(), ignore);
    // Its socket may be connected only now, and has to be closed then.
    await sleep(QUIET_MS);
    await trial.until(() => gateway.connections === 0);
  };

const givenUpInSilence: Check = async (trial) => {
  const gateway = await trial.silence();
  const { host, port } = gateway;
  const attempt = new AbortController();
  const terms = { timeout: 60_000, signal: attempt.signal };
  const connecting = trial.driver.connect({ host, port, username: 'joe', password: 'secret' }, terms, new Heard());
  const outcome = connecting.then(
    () => 'connected',
    (error: unknown) => error,
  );
  await trial.until(() => gateway.connections === 1);
  attempt.abort();
  ok((await outcome) instanceof Error);
  await trial.until(() => gateway.connections === 0);
};

const CHECKS: Readonly<Record<string, Check>> = {
  'gives replies in the shapes of RESP 2': repliesAsInResp2,
  'answers commands of one turn and of later ones in their order': order,
  'sends bytes as they are': bytes,
  'tells what the server refuses, with its code, and goes on': refusals,
  'sends what was held back': cork,
  'hears messages of its channels': messages(false),
  'hears messages of channels of a shard': messages(true),
  'tells what was cut from what it never wrote, ends once, and connects no second time': cut,
  'destroys a connection with a command in flight': destroy,
  'ends a connection after what it has written': end,
  'logs in, and says why it cannot': login,
  'says why there is no connection': refusedConnection,
  'leaves nothing open if it is given up at once': givenUp((abort) => abort()),
  'leaves nothing open if it is given up after a tick': givenUp((abort) => process.nextTick(abort)),
  'leaves nothing open if it is given up after a turn': givenUp((abort) => setImmediate(abort)),
  'leaves nothing open if it is given up after a millisecond': givenUp((abort) => setTimeout(abort, 1)),
  'leaves nothing open if it is given up after three milliseconds': givenUp((abort) => setTimeout(abort, 3)),
  'gives up a connection that is not answered': givenUpInSilence,
};

/**
 * Cases for a driver, each of which connects to a real server by it. They use keys, channels and users whose names begin
 * with `driver-kit:`; a case that passes removes them. One takes less than a second, and fails after ten.
 * @param server A server that nothing depends on, and a login that may use all commands.
 */
export const driverCases = (driver: RedisDriver, server: ServerOptions = {}): readonly DriverCase[] =>
  Object.entries(CHECKS).map(([name, check]) => ({
    name,
    run: () => new Trial(driver, server).run(check),
  }));
