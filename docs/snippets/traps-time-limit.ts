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
    return this.locks.withLock('import', async ({ signal }) => {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(new Error('The import took longer than 5 s')), 5000);
      try {
        const response = await fetch(url, { signal: AbortSignal.any([signal, limit.signal]) });
        return await response.json();
      } finally {
        clearTimeout(timer);
      }
    });
  }
}
