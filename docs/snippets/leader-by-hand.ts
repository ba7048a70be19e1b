import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type LeaderElection, LockService } from 'nest-redis-lock';

@Injectable()
export class Mailer implements OnApplicationBootstrap {
  private readonly logger = new Logger('Mailer');
  private readonly election: LeaderElection;

  constructor(locks: LockService) {
    this.election = locks.getLeaderElection('mailer', {
      onElected: (signal) => this.sendUntil(signal),
      onDemoted: (reason) => this.logger.log(`no longer the leader: ${String(reason)}`),
    });
  }

  onApplicationBootstrap(): void {
    this.election.start();
  }

  private async sendUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sendNext(signal);
      await sleep(1000, undefined, { signal });
    }
  }

  private async sendNext(signal: AbortSignal): Promise<void> {
    await fetch('https://mail.example/send', { method: 'POST', signal });
  }
}
