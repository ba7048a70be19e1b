import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';

@Injectable()
export class Stock {
  constructor(private readonly locks: LockService) {}

  // SET stock:<sku> <token> NX PX 5000, tried again until it succeeds; then EVAL "if get == token then del"
  @Locked('stock:<0>', { lease: '5s', renew: true, wait: '3s' })
  async take(_sku: string): Promise<void> {}

  // SET report 1 NX PX 3600000, and no DEL: at most once an hour
  async hourly(): Promise<void> {
    await this.locks.withLock('report', { holdAtLeast: '1h', onConflict: 'skip' }, () => this.report());
  }

  private async report(): Promise<void> {}
}
