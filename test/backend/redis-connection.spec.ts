import { setImmediate as nextTurn } from 'node:timers/promises';
import { RedisConnection } from '../../lib/backend/connection/redis-connection.js';
import type { Sentinels } from '../../lib/backend/connection/sentinels.js';
import type { ServerOptions } from '../../lib/backend/driver/server-options.js';
import {
  type Command,
  type DriverConnection,
  DriverError,
  type DriverListener,
  type RedisDriver,
} from '../../lib/backend/driver/redis-driver.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { type HeldBack, heldBack, outcomeOf } from './scripted-nodes.js';

/** A connection that tells of its end a turn after its commands were rejected, as that of a socket does. */
class LateEnd implements DriverConnection {
  readonly commands: { readonly name: string; readonly reply: HeldBack<unknown> }[] = [];
  private isEnding = false;

  constructor(private readonly listener: DriverListener) {}

  send([name]: Command): Promise<unknown> {
    if (this.isEnding) return Promise.reject(new DriverError('not-written', 'It is ending'));
    const reply = heldBack<unknown>();
    this.commands.push({ name, reply });
    return reply.promise;
  }

  subscribe(): Promise<unknown> {
    return this.send(['SUBSCRIBE']);
  }

  unsubscribe(): Promise<unknown> {
    return this.send(['UNSUBSCRIBE']);
  }

  cork(): void {}

  uncork(): void {}

  end(): void {
    if (this.isEnding) return;
    this.isEnding = true;
    for (const { reply } of this.commands) reply.reject(new DriverError('cut', 'It has ended'));
    setImmediate(() => this.listener.onEnd());
  }

  destroy(): void {
    this.end();
  }

  /** Answers the oldest command of this name. */
  answer(name: string, value: unknown): void {
    const index = this.commands.findIndex((command) => command.name === name);
    this.commands.splice(index, 1)[0]?.reply.resolve(value);
  }
}

class LateDriver implements RedisDriver {
  readonly name = 'late';
  readonly attempts: { readonly opened: HeldBack<DriverConnection>; readonly connection: LateEnd }[] = [];

  connect(
    _: unknown,
    { signal }: { readonly signal: AbortSignal },
    listener: DriverListener,
  ): Promise<DriverConnection> {
    const opened = heldBack<DriverConnection>();
    signal.addEventListener('abort', () => opened.reject(new Error('given up')));
    this.attempts.push({ opened, connection: new LateEnd(listener) });
    return opened.promise;
  }
}

const open = (options: ServerOptions = {}) => {
  const clock = new ManualClock();
  const driver = new LateDriver();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const connection: RedisConnection = new RedisConnection({ options, driver }, 'commands', 1000, scheduler, {
    prepare: async () => void (await connection.send(['TIME'])),
  });
  connection.open();
  const last = () => {
    const attempt = driver.attempts.at(-1);
    if (!attempt) throw new Error('Nothing was connected');
    return attempt;
  };
  /** Lets the connection come to this state. */
  const reach = async (state: 'connecting' | 'greeting' | 'preparing' | 'ready' | 'pausing'): Promise<void> => {
    await nextTurn();
    if (state === 'connecting') return;
    const { opened, connection: link } = last();
    opened.resolve(link);
    await nextTurn();
    if (state === 'greeting') return;
    link.answer('PING', 'PONG');
    await nextTurn();
    if (state === 'preparing') return;
    link.answer('TIME', ['1', '0']);
    await nextTurn();
    if (state === 'pausing') connection.reconnect();
  };
  return { clock, driver, connection, last, reach };
};

const STATES = ['connecting', 'greeting', 'preparing', 'ready', 'pausing'] as const;

/** What may come while a connection is closing. */
const MEANWHILE: readonly (readonly [string, (setUp: ReturnType<typeof open>) => void])[] = [
  ['nothing', () => {}],
  ['a reply that asks for another connection', ({ connection }) => connection.reconnect()],
  ['a connection that was made before it was given up', ({ last }) => last().opened.resolve(last().connection)],
];

describe('A connection that is closed', () => {
  const cases = STATES.flatMap((state) => MEANWHILE.map(([what, come]) => [state, what, come] as const));

  it.each(cases)('while %s ends by itself, whatever comes meanwhile: %s', async (state, _, come) => {
    const setUp = open();
    await setUp.reach(state);
    const closing = setUp.connection.close();
    come(setUp);
    const closed = outcomeOf(closing);
    for (let turns = 0; turns < 3; turns += 1) await nextTurn();
    expect(closed.state).toBe('resolved');
    await setUp.clock.advance(10_000);
    expect(setUp.driver.attempts).toHaveLength(1);
    expect(setUp.connection.isReady).toBe(false);
  });

  it('and whose end is never told of is destroyed after half a second', async () => {
    const { clock, connection, last, reach } = open();
    await reach('ready');
    last().connection.end = () => {};
    const closed = outcomeOf(connection.close());
    await clock.advance(499);
    expect(closed.state).toBe('pending');
    await clock.advance(1);
    expect(closed.state).toBe('resolved');
  });
});

describe('A connection by Sentinels', () => {
  it('hears no more of them once it is closed', async () => {
    const { connection } = open({ sentinels: [{ port: 1 }], name: 'shop' });
    const sentinels = Reflect.get(connection, 'sentinels') as Sentinels;
    const close = jest.spyOn(sentinels, 'close');
    await connection.close();
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('A connection that is made again', () => {
  it('ignores what the one before says, which ends later', async () => {
    const { clock, driver, connection, last, reach } = open();
    await reach('ready');
    const [first] = driver.attempts;
    connection.reconnect();
    await clock.advance(1000);
    await reach('ready');
    expect(driver.attempts).toHaveLength(2);
    first?.connection.destroy();
    await nextTurn();
    expect(connection.isReady).toBe(true);
    expect(last()).not.toBe(first);
    await connection.close();
  });
});
