import { Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { RedisLockManager } from 'nest-redis-lock/web-locks';

@Injectable()
export class Documents {
  private readonly locks: RedisLockManager;

  constructor(service: LockService) {
    this.locks = new RedisLockManager(service);
  }

  read(id: string): Promise<string> {
    return this.locks.request(`document:${id}`, { mode: 'shared' }, async () => `text of ${id}`);
  }

  save(id: string, text: string): Promise<Response> {
    return this.locks.request(`document:${id}`, (lock) =>
      fetch(`https://store.example/${id}`, { method: 'PUT', body: text, signal: lock?.signal ?? null }),
    );
  }
}
