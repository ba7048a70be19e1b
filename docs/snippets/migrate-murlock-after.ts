import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';

interface User {
  readonly id: string;
}

@Injectable()
export class Users {
  constructor(private readonly locks: LockService) {}

  // @MurLock(5000, 'user.id')
  @Locked('users:rename:<0.id>', { wait: '6s' })
  async rename(_user: User, _name: string): Promise<void> {}

  // @MurLock(5000, '0.id', '1.transactionId')
  @Locked('users:pay:<0.id>:<1.transactionId>', { lease: '5s', renew: true })
  async pay(_user: User, _payment: { readonly transactionId: string }): Promise<void> {}

  // this.murLockService.runWithLock('import', 3000, () => this.importAll())
  async importOnce(): Promise<void> {
    await this.locks.withLock('import', () => this.importAll());
  }

  private async importAll(): Promise<void> {}
}
