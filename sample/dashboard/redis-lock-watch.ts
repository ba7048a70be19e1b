import { Inject, Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { ShopRedis } from '../data/shop-redis.js';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';
import { FREE, type Holder, type LockState, LockWatch, type Watched } from './lock-watch.js';
import { presenceLockOf } from './presence.service.js';

type Hash = Readonly<Record<string, string>>;

/**
 * Locks in Redis, read from their keys, in Redisson's format: a hash with a field per owner, its time to live, and a list
 * of the waiters of a fair lock. An owner id is the client's id, a colon and a number.
 */
@Injectable()
export class RedisLockWatch extends LockWatch {
  constructor(
    private readonly redis: ShopRedis,
    private readonly locks: LockService,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {
    super();
  }

  override async look({ exclusive, readWrite }: Watched): Promise<ReadonlyMap<string, LockState>> {
    const names = [...exclusive, ...readWrite];
    const presences = Array.from({ length: this.settings.processes }, (_, n) => presenceLockOf(n + 1));
    const pipeline = this.redis.client.pipeline();
    for (const name of [...presences, ...names]) {
      const key = this.locks.getLock(name).name;
      pipeline.hgetall(key).pttl(key).llen(`redisson_lock_queue:{${key}}`);
    }
    const replies = ((await pipeline.exec()) ?? []).map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
    const raw = (index: number): readonly [Hash, number, number] => [
      replies[3 * index] as Hash,
      replies[3 * index + 1] as number,
      replies[3 * index + 2] as number,
    ];

    const processes = new Map<string, number>();
    presences.forEach((_, index) => {
      const [owner] = Object.keys(raw(index)[0]);
      if (owner !== undefined) processes.set(clientOf(owner), index + 1);
    });
    return new Map(
      names.map((name, index) => {
        const [hash, leaseMs, queued] = raw(presences.length + index);
        const state = stateOf(hash, leaseMs, processes);
        return [name, this.settings.locking === 'fair' ? { ...state, queued } : state];
      }),
    );
  }
}

function stateOf(hash: Hash, leaseMs: number, processes: ReadonlyMap<string, number>): LockState {
  const owners = Object.keys(hash).filter((field) => field !== 'mode');
  if (owners.length === 0) return FREE;
  const holders = owners.map((owner): Holder => ({ owner, process: processes.get(clientOf(owner)) }));
  const mode = hash['mode'] === 'read' || hash['mode'] === 'write' ? hash['mode'] : 'exclusive';
  return { mode, holders, leaseMs: Math.max(0, leaseMs) };
}

const clientOf = (owner: string): string => owner.slice(0, owner.indexOf(':'));
