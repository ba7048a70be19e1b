import { Inject, Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import type { ListedLock } from 'nest-redis-lock/advanced';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';
import { presenceLockOf } from './presence.service.js';

/** The holder of a lock. */
export interface Holder {
  /** The number of its process; absent if that has just ended. */
  readonly process?: number | undefined;
  readonly owner: string;
}

/** The state of a lock at one moment. */
export interface LockState {
  readonly mode: 'free' | 'exclusive' | 'read' | 'write' | 'permit';
  readonly holders: readonly Holder[];
  /** Milliseconds until it ends unless it is renewed; 0 if it is free. */
  readonly leaseMs: number;
  /** How many wait for it in the order of their arrival; absent if there is no such order. */
  readonly queued?: number | undefined;
}

export const FREE: LockState = { mode: 'free', holders: [], leaseMs: 0 };

/** The locks of the shop that are held, by all its processes. */
@Injectable()
export class LockStates {
  constructor(
    private readonly locks: LockService,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {}

  /** The state of each lock that is held, by name. */
  async look(): Promise<ReadonlyMap<string, LockState>> {
    const held: ListedLock[] = [];
    for await (const lock of this.locks.list()) held.push(lock);
    const processes = this.processesIn(held);
    return new Map(held.map((lock) => [lock.name, this.stateOf(lock, processes)]));
  }

  /** The numbers of the processes, by the part that their owner ids have in common. */
  private processesIn(held: readonly ListedLock[]): ReadonlyMap<string, number> {
    const numbers = Array.from({ length: this.settings.processes }, (_, n) => n + 1);
    const processes = new Map<string, number>();
    for (const number of numbers) {
      const presence = held.find(({ name }) => name === presenceLockOf(number));
      for (const { owner } of presence?.holders ?? []) processes.set(clientOf(owner), number);
    }
    return processes;
  }

  private stateOf({ holders, waiting }: ListedLock, processes: ReadonlyMap<string, number>): LockState {
    const [first] = holders;
    if (first === undefined) return FREE;
    return {
      mode: first.mode,
      holders: holders.map(({ owner }) => ({ owner, process: processes.get(clientOf(owner)) })),
      leaseMs: Math.max(0, ...holders.map(({ remaining }) => remaining)),
      queued: this.settings.locking === 'fair' ? waiting.count : undefined,
    };
  }
}

const clientOf = (owner: string): string => owner.slice(0, owner.indexOf(':'));
