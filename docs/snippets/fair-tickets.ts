import { Injectable } from '@nestjs/common';
import { Locked, lockName, LockService } from 'nest-redis-lock';

@Injectable()
export class TicketService {
  constructor(private readonly locks: LockService) {}

  @Locked('concert:<0>', { fair: true, wait: '1m' })
  async buy(concert: string): Promise<string> {
    return `a ticket for ${concert}`;
  }

  async buyByHand(concert: string): Promise<string> {
    return this.locks
      .getFairLock(lockName`concert:${concert}`)
      .withLock({ wait: '1m' }, () => `a ticket for ${concert}`);
  }
}
