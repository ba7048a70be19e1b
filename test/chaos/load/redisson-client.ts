import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';

const ACQUIRE = `
if redis.call('exists', KEYS[1]) == 0 or redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
  redis.call('hincrby', KEYS[1], ARGV[2], 1)
  redis.call('pexpire', KEYS[1], ARGV[1])
  return nil
end
return redis.call('pttl', KEYS[1])`;

const RELEASE = `
local answered = redis.call('get', KEYS[3])
if answered then return tonumber(answered) end
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return nil end
if redis.call('hincrby', KEYS[1], ARGV[2], -1) > 0 then
  redis.call('pexpire', KEYS[1], ARGV[1])
  redis.call('set', KEYS[3], 0, 'px', ARGV[3])
  return 0
end
redis.call('del', KEYS[1])
redis.call('publish', KEYS[2], '0')
redis.call('set', KEYS[3], 1, 'px', ARGV[3])
return 1`;

const LATCH_MS = 16_000;
/** The part of a lease after which this client does not act any more, as its clock counts it. */
const SAFE_SHARE = 0.9;

interface Terms {
  readonly wait: number;
  readonly lease: number;
  readonly signal: AbortSignal;
}

/**
 * Acquires plain locks as Redisson's `tryLock(wait, lease)` does, with the same scripts and the same sleeps: listens to
 * the channel of the lock while it waits, and has no entry among the clients that wait.
 */
export class RedissonClient {
  private readonly id = randomUUID();
  private readonly commands: Redis;
  private readonly subscriber: Redis;
  private threads = 0;
  /** The waiters of each channel, each with the function that wakes it. */
  private readonly waiters = new Map<string, Set<() => void>>();

  constructor(url: string) {
    this.commands = new Redis(url);
    this.subscriber = new Redis(url);
    this.subscriber.on('message', (channel: string, message: string) => {
      // One of the waiters of this client wakes.
      const [wake] = this.waiters.get(channel) ?? [];
      if (message === '0') wake?.();
    });
  }

  /** @returns `undefined` if the lock was not acquired in time. */
  async tryLock(name: string, { wait, lease, signal }: Terms) {
    const owner = `${this.id}:${++this.threads}`;
    const channel = `redisson_lock__channel:{${name}}`;
    const end = performance.now() + wait;
    let isListening = false;
    // A message that comes while it does not sleep is remembered.
    let isWoken = false;
    let wake = (): void => {};
    const woken = (): void => {
      isWoken = true;
      wake();
    };
    signal.addEventListener('abort', woken, { once: true });
    try {
      while (!signal.aborted) {
        const sent = performance.now();
        const remaining = await this.commands.eval(ACQUIRE, 1, name, lease, owner);
        if (remaining === null) return this.held(name, channel, owner, lease, sent);
        const left = end - performance.now();
        if (left <= 0) return undefined;
        if (!isListening) {
          isListening = true;
          await this.listen(channel, woken);
          continue;
        }
        if (!isWoken) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, Math.min(left, Math.max(0, Number(remaining))));
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        isWoken = false;
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', woken);
      if (isListening) await this.leave(channel, woken);
    }
  }

  close(): void {
    this.commands.disconnect();
    this.subscriber.disconnect();
  }

  private held(name: string, channel: string, owner: string, lease: number, sent: number) {
    const latch = `redisson_unlock_latch:{${name}}:${randomUUID().replaceAll('-', '')}`;
    return {
      isHeld: () => performance.now() < sent + SAFE_SHARE * lease,
      release: () => this.commands.eval(RELEASE, 3, name, channel, latch, lease, owner, LATCH_MS),
    };
  }

  private async listen(channel: string, wake: () => void): Promise<void> {
    const waiters = this.waiters.get(channel) ?? new Set();
    this.waiters.set(channel, waiters.add(wake));
    await this.subscriber.subscribe(channel);
  }

  private async leave(channel: string, wake: () => void): Promise<void> {
    const waiters = this.waiters.get(channel);
    waiters?.delete(wake);
    if (waiters?.size !== 0) return;
    this.waiters.delete(channel);
    await this.subscriber.unsubscribe(channel);
  }
}
