import { Injectable, Logger } from '@nestjs/common';
import { defer, finalize, from, type Observable, switchMap } from 'rxjs';
import { ShopData } from '../data/shop-data.js';

/** How many have come to each warehouse, to whichever process, and have not left yet. */
@Injectable()
export class OrderQueue {
  private readonly logger = new Logger('Shop');

  constructor(private readonly data: ShopData) {}

  /** Counts whoever subscribes, until `work` has ended for him. */
  counted<T>(warehouse: string, work: () => Observable<T> | Promise<T>): Observable<T> {
    return defer(() => this.data.add('present', warehouse, 1)).pipe(
      switchMap(() => from(work()).pipe(finalize(() => this.leave(warehouse)))),
    );
  }

  /** By warehouse, and with whoever is being served. */
  async present(): Promise<ReadonlyMap<string, number>> {
    return new Map(
      [...(await this.data.readAll('present'))].map(([warehouse, present]) => [warehouse, Number(present)]),
    );
  }

  private leave(warehouse: string): void {
    this.data.add('present', warehouse, -1).catch((error: unknown) => {
      this.logger.warn(`Nobody knows that somebody left ${warehouse}: ${String(error)}`);
    });
  }
}
