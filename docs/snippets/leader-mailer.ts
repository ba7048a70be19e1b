import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { LeaderOnly, OnElected } from 'nest-redis-lock';

@Injectable()
export class Mailer {
  @OnElected('mailer')
  async sendUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await fetch('https://mail.example/send', { method: 'POST', signal });
      await sleep(1000, undefined, { signal });
    }
  }

  @Cron('0 * * * *')
  @LeaderOnly('mailer')
  async tidyUp(): Promise<void> {
    await fetch('https://mail.example/sent', { method: 'DELETE' });
  }
}
