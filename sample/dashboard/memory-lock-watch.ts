import { Inject, Injectable } from '@nestjs/common';
import { type Lock, LockService } from 'nest-redis-lock';
import { SHOP_SETTINGS, type ShopSettings } from '../shop.settings.js';
import { FREE, type LockState, LockWatch, type Watched } from './lock-watch.js';

/** Locks in memory, held by this process only. */
@Injectable()
export class MemoryLockWatch extends LockWatch {
  constructor(
    private readonly locks: LockService,
    @Inject(SHOP_SETTINGS) private readonly settings: ShopSettings,
  ) {
    super();
  }

  override async look({ exclusive, readWrite }: Watched): Promise<ReadonlyMap<string, LockState>> {
    const states = [
      ...exclusive.map(async (name) => [name, await this.state('exclusive', this.locks.getLock(name))] as const),
      ...readWrite.map(async (name) => [name, await this.readOrWrite(name)] as const),
    ];
    return new Map(await Promise.all(states));
  }

  private async readOrWrite(name: string): Promise<LockState> {
    const lock = this.locks.getReadWriteLock(name);
    const writing = await this.state('write', lock.writeLock());
    return writing === FREE ? this.state('read', lock.readLock()) : writing;
  }

  private async state(mode: LockState['mode'], lock: Lock): Promise<LockState> {
    const leaseMs = (await lock.isLocked()) ? await lock.remainingLease() : 0;
    return leaseMs > 0 ? { mode, leaseMs, holders: [{ process: this.settings.processNumber }] } : FREE;
  }
}
