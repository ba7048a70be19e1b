import { fairDeadlines, fairQueue } from '../../../keys/lock-name.js';
import type { OwnerId } from '../../../context/ids.js';
import type { KeepRequest, LeaveRequest, QueueRequest } from '../../fair-lock-operations.js';
import type { AcquireRequest } from '../../lock-operations.js';
import { wrongKeyType } from '../../../wrong-key-type.js';
import type { AcquireReply, ForceReleaseReply, RequestLimits, ReleaseReply } from './lock-scripts.js';
import { PlainLockScripts } from './plain-dialect.js';
import { scripts } from '../scripts/scripts.generated.js';

export interface QueueReply {
  readonly outcome: 'acquired' | 'queued' | 'waiting' | 'late';
  readonly remaining: number;
  readonly holder: OwnerId;
  readonly now: number;
  readonly head: OwnerId;
}

/**
 * The fair lock on Redisson's data: the plain lock's hash, a list of those who wait, and a sorted set of deadlines. Each
 * waiter listens to a channel of its own, named after that of the lock.
 */
export class FairLockScripts extends PlainLockScripts {
  override async acquire(request: AcquireRequest, { notAfter, deadline }: RequestLimits): Promise<AcquireReply> {
    const { name, owner, lease } = request;
    const args = { owner, lease, notAfter, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.fairLock.acquire, this.keys(name), args, deadline, name);
    const [outcome, remaining, detail, now, key] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(key, detail);
    return [outcome, remaining, detail, now];
  }

  async queue({ name, owner, lease, slot }: QueueRequest, { notAfter, deadline }: RequestLimits): Promise<QueueReply> {
    const args = { owner, lease, slot, notAfter, ...this.announcing(name) };
    const reply = await this.commands.run(scripts.fairLock.queue, this.keys(name), args, deadline, name);
    const [outcome, remaining, detail, now, head] = reply;
    if (outcome === 'wrong-type') throw wrongKeyType(head, detail);
    return { outcome, remaining, holder: detail, now, head };
  }

  /** Resolves with the server's time. */
  async leave({ name, owners, slot }: Omit<LeaveRequest, 'lease'>, deadline: number): Promise<number> {
    const args = { slot, owners, ...this.announcing(name) };
    const [, now] = await this.commands.run(scripts.fairLock.leave, this.keys(name), args, deadline, name);
    return now;
  }

  /** Resolves with one for each owner; 1 where it has a place. */
  async keep({ name, owners, slot }: KeepRequest, deadline: number): Promise<readonly number[]> {
    const args = { slot, owners, ...this.announcing(name) };
    const [, , ...kept] = await this.commands.run(scripts.fairLock.keep, this.keys(name), args, deadline, name);
    return kept;
  }

  override release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    const args = { owner, ...this.announcing(name) };
    return this.commands.run(scripts.fairLock.release, this.keys(name), args, deadline, name);
  }

  override forceRelease(name: string, { notAfter, deadline }: RequestLimits): Promise<ForceReleaseReply> {
    const args = { ...this.announcing(name), notAfter };
    return this.commands.run(scripts.fairLock.forceRelease, this.keys(name), args, deadline, name);
  }

  private keys(name: string): { lock: string; queue: string; deadlines: string } {
    return { lock: name, queue: fairQueue(name), deadlines: fairDeadlines(name) };
  }
}
