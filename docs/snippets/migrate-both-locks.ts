import { Injectable } from '@nestjs/common';
import { type Hold, LockService } from 'nest-redis-lock';

/** The locks of the library that you are leaving. */
export abstract class OldLocks {
  abstract withLock<T>(name: string, work: () => Promise<T>): Promise<T>;
}

@Injectable()
export class BothLocks {
  constructor(
    private readonly old: OldLocks,
    private readonly locks: LockService,
  ) {}

  /** Runs `work` under both locks: first the old one, then the new one, in this order everywhere. */
  withLock<T>(name: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    return this.old.withLock(name, () => this.locks.withLock(name, work));
  }
}
