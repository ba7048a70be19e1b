import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Queue, Worker } from 'bullmq';
import { type HoldToken, LockService } from 'nest-redis-lock';

interface ReportJob {
  readonly id: string;
  readonly lock: HoldToken;
}

const connectionOf = (config: ConfigService): { host: string; port: number } => {
  const { hostname, port } = new URL(config.get<string>('REDIS_URL', 'redis://localhost:6379'));
  return { host: hostname, port: Number(port || 6379) };
};

/** Makes one report. Replaced in the tests. */
export abstract class ReportMaker {
  abstract make(id: string, signal: AbortSignal): Promise<void>;
}

/** The request takes the lock of a report, and the job, in whichever process, releases it. */
@Injectable()
export class ReportQueue implements OnApplicationShutdown {
  private readonly queue: Queue<ReportJob>;
  private readonly worker: Worker<ReportJob>;

  constructor(
    @Inject(ConfigService) config: ConfigService,
    private readonly locks: LockService,
    reports: ReportMaker,
  ) {
    const connection = connectionOf(config);
    this.queue = new Queue<ReportJob>('reports', { connection });
    const work = async ({ data }: { readonly data: ReportJob }): Promise<void> => {
      await using hold = await locks.attach(data.lock);
      await reports.make(data.id, hold.signal);
    };
    this.worker = new Worker<ReportJob>('reports', work, { connection });
  }

  /** @throws LockConflictError (409) while the report is being made, or waits for that. */
  async request(id: string): Promise<void> {
    const hold = await this.locks.acquire(`report:${id}`, { wait: 0 });
    const lock = await hold.detach({ lease: '5m' }); // as long as the job may wait
    await this.queue.add('report', { id, lock });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.worker.close();
    await this.queue.close();
  }
}
