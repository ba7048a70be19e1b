import { setImmediate as nextTurn } from 'node:timers/promises';
import { Sentinels, UnknownMasterError } from '../../lib/backend/connection/sentinels.js';
import type { Command, DriverConnection, DriverListener, RedisDriver } from '../../lib/backend/driver/redis-driver.js';
import type { ServerOptions } from '../../lib/backend/driver/server-options.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { caught } from '../kit/caught.js';

/** What a scripted Sentinel does: it names a master, knows none, refuses connections, or is silent after the socket. */
type Behaviour = { readonly master: readonly [string, string] | null } | 'refuses' | 'silent';

/** Sentinels by their port, as a driver finds them. */
class ScriptedSentinels implements RedisDriver {
  readonly name = 'scripted';
  readonly behaviours = new Map<number, Behaviour>();
  /** The ports that were asked, in order. */
  readonly asked: number[] = [];
  /** Those that listen to +switch-master. */
  readonly listeners = new Map<number, DriverListener>();
  others: readonly (readonly string[])[] = [];

  async connect(
    { port }: ServerOptions,
    { signal }: { readonly signal: AbortSignal },
    listener: DriverListener,
  ): Promise<DriverConnection> {
    const at = Number(port);
    const behaviour = this.behaviours.get(at) ?? 'refuses';
    if (behaviour === 'refuses') throw new Error(`connect ECONNREFUSED ${at}`);
    if (behaviour === 'silent') {
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('given up'))));
    }
    const end = (): void => {
      if (this.listeners.delete(at)) listener.onEnd();
    };
    return {
      send: async (command: Command) => {
        if (command[1] === 'SENTINELS') return this.others;
        this.asked.push(at);
        return behaviour.master;
      },
      subscribe: async () => void this.listeners.set(at, listener),
      unsubscribe: () => Promise.resolve(),
      cork: () => {},
      uncork: () => {},
      end,
      destroy: end,
    };
  }
}

const open = (ports = [1, 2, 3], more: ServerOptions = {}) => {
  const clock = new ManualClock();
  const driver = new ScriptedSentinels();
  const options = { sentinels: ports.map((port) => ({ port })), name: 'shop', ...more };
  for (const port of ports) driver.behaviours.set(port, { master: ['m', '7'] });
  let switches = 0;
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const sentinels = new Sentinels({ options, driver }, scheduler, () => void (switches += 1));
  const locate = () => sentinels.locate(new AbortController().signal);
  return { clock, driver, sentinels, locate, switches: () => switches };
};

describe('The Sentinels of a connection', () => {
  it('are asked one after the other, and the one that has answered goes first the next time', async () => {
    const { driver, locate } = open();
    driver.behaviours.set(1, 'refuses');
    driver.behaviours.set(2, { master: null });
    await expect(locate()).resolves.toMatchObject({ host: 'm', port: 7, sentinels: undefined, tls: undefined });
    expect(driver.asked).toEqual([2, 3]);
    await locate();
    expect(driver.asked).toEqual([2, 3, 3]);
  });

  it('are passed over if they are silent after the socket is connected', async () => {
    const { clock, driver, locate } = open();
    driver.behaviours.set(1, 'silent');
    const located = locate();
    await clock.advance(1400);
    await expect(located).resolves.toMatchObject({ host: 'm' });
    expect(driver.asked).toEqual([2]);
  });

  it('that have named a replica are asked last', async () => {
    const { driver, sentinels, locate } = open();
    await locate();
    sentinels.misled();
    await locate();
    expect(driver.asked).toEqual([1, 2]);
  });

  it('tell the last reason if none knows the master', async () => {
    const { driver, locate } = open();
    for (const port of [1, 2]) driver.behaviours.set(port, { master: null });
    driver.behaviours.set(3, 'refuses');
    expect((await caught(locate(), UnknownMasterError)).message).toBe('connect ECONNREFUSED 3');
    driver.behaviours.set(3, { master: null });
    expect((await caught(locate(), UnknownMasterError)).message).toBe('');
  });

  it('are not asked any more once the attempt is given up', async () => {
    const { driver, sentinels } = open();
    driver.behaviours.set(1, 'silent');
    const attempt = new AbortController();
    const located = sentinels.locate(attempt.signal).catch((error: unknown) => error);
    attempt.abort();
    await expect(located).resolves.toMatchObject({ message: 'given up' });
    expect(driver.asked).toEqual([]);
  });

  it('tell of others, which are asked if all that were given fail', async () => {
    const { driver, locate } = open([1]);
    driver.others = [
      ['name', 'a', 'ip', '127.0.0.1', 'port', '1', 'flags', 'sentinel'],
      ['name', 'b', 'ip', '127.0.0.1', 'port', '5', 'flags', 'sentinel'],
      ['name', 'c', 'ip', '127.0.0.1', 'port', '6', 'flags', 's_down,sentinel,disconnected'],
    ];
    driver.behaviours.set(5, { master: ['n', '8'] });
    await locate();
    driver.behaviours.set(1, 'refuses');
    await expect(locate()).resolves.toMatchObject({ host: 'n', port: 8 });
    driver.behaviours.set(5, 'refuses');
    await expect(locate()).rejects.toThrow('ECONNREFUSED 1');
  });

  it('report addresses of another network, which are mapped', async () => {
    const { locate } = open([1], { natMap: { 'm:7': { host: 'out', port: 70 } } });
    await expect(locate()).resolves.toMatchObject({ host: 'out', port: 70 });
  });

  it('announce another master, once it is another, until they are closed', async () => {
    const { clock, driver, sentinels, locate, switches } = open();
    driver.behaviours.set(3, 'refuses');
    await locate();
    sentinels.watch();
    sentinels.watch();
    await nextTurn();
    expect([...driver.listeners.keys()]).toEqual([1, 2]);
    const tell = (message: string): void =>
      driver.listeners.forEach((listener) => listener.onMessage('+switch-master', message));
    tell('other 1 1 m 8');
    tell('shop m 6 m 7');
    expect(switches()).toBe(0);
    tell('shop m 7 n 8');
    expect(switches()).toBe(2);
    // One that cannot be heard is tried again.
    driver.behaviours.set(3, { master: ['n', '8'] });
    await clock.advance(10_000);
    expect([...driver.listeners.keys()]).toEqual([1, 2, 3]);
    sentinels.close();
    await clock.advance(10_000);
    expect(driver.listeners.size).toBe(0);
    expect(clock.pending).toBe(0);
  });
});
