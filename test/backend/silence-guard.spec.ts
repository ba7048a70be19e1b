import { EventEmitter } from 'node:events';
import { SilenceGuard } from '../../lib/backend/connection/redis-connection.js';
import type { RedisClient } from '../../lib/backend/connection/redis-client.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';

const LONGEST = 2000;
const TIMEOUT = 1000;

class Socket extends EventEmitter {
  readonly destroyedWith: string[] = [];

  destroy(error?: Error): void {
    this.destroyedWith.push(error?.message ?? '');
  }
}

const thrown = (error: unknown): never => {
  throw error;
};

const open = () => {
  const clock = new ManualClock();
  const stream = new Socket();
  const client = { options: { socketTimeout: LONGEST }, stream };
  const guard = new SilenceGuard(client as unknown as RedisClient, new MonotonicScheduler(clock, thrown), LONGEST);
  return { clock, stream, client, guard };
};

describe('A connection whose server is silent', () => {
  it('is left to the time-out of ioredis until it is ready, and again after it has closed', async () => {
    const { clock, stream, client, guard } = open();
    guard.missed(TIMEOUT);
    await clock.advance(LONGEST);
    expect(stream.destroyedWith).toEqual([]);
    guard.begin();
    expect(client.options.socketTimeout).toBeUndefined();
    guard.end();
    expect(client.options.socketTimeout).toBe(LONGEST);
  });

  it('is dropped once, however many commands miss their deadlines', async () => {
    const { clock, stream, guard } = open();
    guard.begin();
    for (let missed = 0; missed < 3; missed++) guard.missed(TIMEOUT);
    expect(clock.pending).toBe(1);
    await clock.advance(LONGEST);
    expect(stream.destroyedWith).toHaveLength(1);
  });

  it('is dropped although the server sends something, if that answers no command', async () => {
    const { clock, stream, guard } = open();
    guard.begin();
    guard.missed(TIMEOUT);
    stream.emit('data');
    await clock.advance(LONGEST);
    expect(stream.destroyedWith).toHaveLength(1);
  });

  it('is kept if the server answers a command meanwhile', async () => {
    const { clock, stream, guard } = open();
    guard.begin();
    guard.missed(TIMEOUT);
    await clock.advance(LONGEST - TIMEOUT - 1);
    guard.answered();
    await clock.advance(LONGEST);
    expect(stream.destroyedWith).toEqual([]);
    guard.missed(TIMEOUT);
    await clock.advance(LONGEST - TIMEOUT);
    expect(stream.destroyedWith).toHaveLength(1);
  });

  it('keeps no timer after it has closed', async () => {
    const { clock, stream, guard } = open();
    guard.begin();
    guard.missed(TIMEOUT);
    guard.end();
    expect(clock.pending).toBe(0);
    await clock.advance(LONGEST);
    expect(stream.destroyedWith).toEqual([]);
  });
});
