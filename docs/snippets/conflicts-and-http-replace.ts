import { Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';

@Injectable()
export class SearchService {
  constructor(private readonly locks: LockService) {}

  /** Each key that a user presses begins a search, and ends the one before it, in whatever process that runs. */
  search(userId: string, text: string): Promise<unknown> {
    return this.locks.withLock(`search:${userId}`, { onConflict: 'replace' }, async ({ signal }) => {
      const found = await fetch(`https://search.example/?q=${encodeURIComponent(text)}`, { signal });
      return found.json();
    });
  }
}
