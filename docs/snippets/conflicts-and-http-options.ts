import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import type { ConflictContext } from 'nest-redis-lock/advanced';

@Injectable()
export class ReportService {
  @Locked('report:<0>', { wait: '2s' }) // LockTimeoutError after 2 s: 503 with Retry-After
  async create(month: string): Promise<string> {
    return `report of ${month}`;
  }

  @Locked('report:<0>', { wait: 0 }) // LockConflictError at once: 409
  async createNow(month: string): Promise<string> {
    return `report of ${month}`;
  }

  @Locked('report:<0>', { onConflict: 'skip' }) // one attempt, then undefined
  async createUnlessBusy(month: string): Promise<string | undefined> {
    return `report of ${month}`;
  }

  @Locked('report:<0>', { onConflict: ({ args: [month] }: ConflictContext<[string]>) => `${month} is in the making` })
  async createOrSay(month: string): Promise<string> {
    return `report of ${month}`;
  }
}
