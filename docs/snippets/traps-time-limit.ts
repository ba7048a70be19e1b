import { Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { setTimeout as pause } from 'node:timers/promises';

@Injectable()
export class Importer {
  constructor(private readonly locks: LockService) {}

  async wrong(url: string): Promise<unknown> {
    // After 5 s the lock is released, and the request still runs.
    return this.locks.withLock('import', () => Promise.race([fetch(url), pause(5000)]));
  }

  async right(url: string): Promise<unknown> {
    return this.locks.withLock('import', ({ signal }) =>
      fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5000)]) }),
    );
  }
}
