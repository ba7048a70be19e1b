import type { LockService } from '../../lib/index.js';
import { RedisWorld } from '../kit/redis-world.js';
import { Worker } from '../servers/worker/worker.js';
import { waitingClients } from '../../lib/keys/redisson-keys.js';
import { JavaPeer, type PeerOptions } from './java-peer.js';
import type { JavaThread } from './java-thread.js';
import type { api } from './lock-user.worker.js';

/** One real server with clients of this library and real Redissons on it. */
export class InteropWorld extends RedisWorld {
  /** Starts a Java process and opens a client of this library, with the same watchdog time-out. */
  async openBoth(renewedLease = 30_000): Promise<{ java: JavaPeer; thread: JavaThread; locks: LockService }> {
    const [java, node] = await Promise.all([
      this.openJava({ lockWatchdogTimeout: renewedLease }),
      this.open({ renewedLease }),
    ]);
    return { java, thread: java.thread('a'), locks: node.locks };
  }

  /**
   * Starts a Java process with one Redisson client. It ends with the test as in a crash, because a shutdown of Redisson
   * takes a second.
   */
  async openJava(options: Omit<PeerOptions, 'url'> = {}): Promise<JavaPeer> {
    const peer = await JavaPeer.start({ ...options, url: this.server.url });
    this.onReset(() => peer.kill());
    return peer;
  }

  /** Starts another Node process that holds locks. */
  async openNodeProcess(renewedLease = 30_000, commandTimeout = 1000): Promise<Worker<typeof api>> {
    const file = new URL('./lock-user.worker.ts', import.meta.url);
    const args = [this.server.url, String(renewedLease), String(commandTimeout)];
    const worker = await Worker.start<typeof api>(file, { args });
    this.onReset(() => worker.stop());
    return worker;
  }

  /**
   * Resolves when that many connections listen to a channel, or to those below it, and no attempt is in flight. After
   * that only a message can wake a waiter.
   */
  async listening(channel: string, connections = 1): Promise<void> {
    await this.time.until(async () => (await this.listeners(channel)) >= connections, 5000);
    await this.time.until(async () => {
      const before = await this.scriptsRun();
      await this.time.pass(100);
      return (await this.scriptsRun()) === before;
    }, 5000);
  }

  /**
   * The number of connections that listen to a channel, or to those below it. Each waiter for a fair lock has a channel
   * of its own there.
   */
  async listeners(channel: string): Promise<number> {
    const channels = (await this.probe.channels()).filter((name) => name === channel || name.startsWith(`${channel}:`));
    const counts = await Promise.all(channels.map((name) => this.probe.subscribers(name)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** All keys except the short-lived ones in which Redisson remembers that it has released. */
  async lockNames(): Promise<string[]> {
    return (await this.probe.names()).filter((name) => !name.startsWith('redisson_unlock_latch:'));
  }

  /** The hash under a lock's name, as stored in Redis. */
  hash(name: string): Promise<Record<string, string>> {
    return this.admin.hgetall(name);
  }

  /** Resolves when that many Node clients have an entry among those that wait for a lock. */
  async waitingEntries(name: string, count: number): Promise<void> {
    await this.time.until(async () => (await this.admin.zcard(waitingClients(name))) === count, 5000);
  }

  /** Counts the attempts of a Java thread to acquire a lock from now on: each looks whether the thread holds it. */
  async countAttempts(owner: string): Promise<() => number> {
    const monitor = await this.admin.monitor();
    this.onReset(async () => monitor.disconnect());
    let attempts = 0;
    monitor.on('monitor', (_time: string, [verb = '', , field]: readonly string[]) => {
      if (verb.toLowerCase() === 'hexists' && field === owner) attempts += 1;
    });
    return () => attempts;
  }

  /** Collects the messages on a channel from now on. Servers do not count the pattern as a listener of the channel. */
  async messagesOn(channel: string): Promise<readonly string[]> {
    const subscriber = this.admin.duplicate();
    this.onReset(async () => subscriber.disconnect());
    const messages: string[] = [];
    subscriber.on('pmessage', (_pattern: string, _channel: string, message: string) => messages.push(message));
    await subscriber.psubscribe(channel);
    return messages;
  }

  /** Redisson sends the text of a script the first time, and its digest from then on. */
  private async scriptsRun(): Promise<number> {
    const stats = await this.admin.info('commandstats');
    return [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0);
  }
}
