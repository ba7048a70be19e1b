import { Redis } from 'ioredis';
import { prefixedName } from '../../lib/keys/redisson-keys.js';

/**
 * Records the order in which owners join the queue of a fair lock, and the order in which they get the lock, as the
 * server sees it. MONITOR shows the commands within the scripts of both sides, in the order of their execution.
 */
export class FairOrder {
  /** The number of grants out of turn. */
  overtakings = 0;
  /**
   * The first grant out of turn: the owner that got the lock, the head of the queue, and the commands that named that
   * head.
   */
  firstOvertaking: { readonly granted: string; readonly first: string; readonly story: readonly string[] } | undefined;
  private readonly queueKey: string;
  private readonly queue: string[] = [];
  /** The commands that named each owner in the queue. */
  private readonly stories = new Map<string, string[]>();
  private holder: string | undefined;
  private queuedGrants = 0;
  private directGrants = 0;

  private constructor(
    private readonly name: string,
    private readonly monitor: Redis,
  ) {
    this.queueKey = prefixedName('redisson_lock_queue', name);
    monitor.on('monitor', (time: string, command: string[]) => this.see(time, command));
  }

  static async watch(url: string, name: string): Promise<FairOrder> {
    const connection = new Redis(url);
    const monitor = await connection.monitor();
    connection.disconnect();
    return new FairOrder(name, monitor);
  }

  /** The number of grants to owners in the queue, and the number of grants to owners outside of it. */
  get grants(): { readonly queued: number; readonly direct: number } {
    return { queued: this.queuedGrants, direct: this.directGrants };
  }

  close(): void {
    this.monitor.disconnect();
  }

  private see(time: string, [command = '', key = '', ...args]: readonly string[]): void {
    const verb = command.toLowerCase();
    if (key === this.queueKey && verb === 'rpush') this.join(args);
    this.tell(time, verb, key, args);
    if (key === this.queueKey && verb === 'lrem') this.leave(args[1] ?? '');
    else if (key === this.name && ['del', 'unlink', 'hdel'].includes(verb)) this.holder = undefined;
    else if (key === this.name && ['hset', 'hsetnx', 'hincrby'].includes(verb)) this.grant(args[0] ?? '');
  }

  private join(owners: readonly string[]): void {
    this.queue.push(...owners);
    for (const owner of owners) this.stories.set(owner, []);
  }

  private tell(time: string, verb: string, key: string, args: readonly string[]): void {
    const named =
      verb === 'lpop' && key === this.queueKey ? this.queue.slice(0, 1) : [...args, key.split(':').slice(-2).join(':')];
    for (const owner of named) this.stories.get(owner)?.push(`${time} ${verb} ${key} ${args.join(' ')}`);
  }

  private grant(owner: string): void {
    // Re-entries and releases change the count of the current holder.
    if (this.holder !== undefined) return;
    this.holder = owner;
    const [first] = this.queue;
    if (first !== undefined && first !== owner) {
      this.overtakings += 1;
      this.firstOvertaking ??= { granted: owner, first, story: [...(this.stories.get(first) ?? [])] };
    }
    if (this.queue.includes(owner)) this.queuedGrants += 1;
    else this.directGrants += 1;
    this.leave(owner);
  }

  private leave(owner: string): void {
    const place = this.queue.indexOf(owner);
    if (place !== -1) this.queue.splice(place, 1);
    this.stories.delete(owner);
  }
}
