import { Injectable } from '@nestjs/common';
import { LockService, SingleFlight } from 'nest-redis-lock';

interface Report {
  readonly month: string;
  readonly total: number;
}

@Injectable()
export class ReportService {
  constructor(private readonly locks: LockService) {}

  @SingleFlight('report:<0>', { ttl: '5s', wait: '30s' })
  async report(month: string): Promise<Report> {
    return { month, total: await this.sum(month) };
  }

  async total(month: string): Promise<number> {
    return this.locks.singleFlight(`total:${month}`, { ttl: '1m' }, () => this.sum(month)); // the same by hand
  }

  private async sum(month: string): Promise<number> {
    return month.length; // stands for an expensive query
  }
}
