import { Injectable, Logger } from '@nestjs/common';
import { defer, finalize, from, type Observable, switchMap } from 'rxjs';
import { ShopData } from '../data/shop-data.js';

/** Counts the orders that wait or are served at each warehouse, over all processes. */
@Injectable()
export class OrderQueue {
  private readonly logger = new Logger('Shop');

  constructor(private readonly data: ShopData) {}

  /** Runs `work` for each subscriber and counts it until it has ended. */
  counted<T>(warehouse: string, work: () => Observable<T> | Promise<T>): Observable<T> {
    return defer(() => this.data.add('present', warehouse, 1)).pipe(
      switchMap(() => from(work()).pipe(finalize(() => this.leave(warehouse)))),
    );
  }

  /** Waiting and served orders, by warehouse. */
  async present(): Promise<ReadonlyMap<string, number>> {
    return new Map(
      [...(await this.data.readAll('present'))].map(([warehouse, present]) => [warehouse, Number(present)]),
    );
  }

  private leave(warehouse: string): void {
    this.data.add('present', warehouse, -1).catch((error: unknown) => {
      this.logger.warn(`The count of ${warehouse} is too high: ${String(error)}`);
    });
  }
}
