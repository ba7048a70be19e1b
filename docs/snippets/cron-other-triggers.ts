import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Locked } from 'nest-redis-lock';

@Injectable()
export class RatesJob {
  @Interval(60_000)
  @Locked('exchange-rates', { onConflict: 'skip', holdAtLeast: '50s' })
  async refresh(): Promise<void> {}
}
