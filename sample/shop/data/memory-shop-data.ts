import { performance } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ShopData, TAKE_MS } from './shop-data.js';

const POLL_MS = 5;

/** In memory, for a shop of one process. Each call takes a turn of the event loop, as a call to a database would. */
@Injectable()
export class MemoryShopData extends ShopData {
  private readonly tables = new Map<string, Map<string, string>>();
  private readonly lists = new Map<string, string[]>();

  override async read(table: string, row: string): Promise<string | undefined> {
    await setImmediate();
    return this.table(table).get(row);
  }

  override async readAll(table: string): Promise<ReadonlyMap<string, string>> {
    await setImmediate();
    return new Map(this.table(table));
  }

  override async write(table: string, row: string, value: string | number): Promise<void> {
    await setImmediate();
    this.table(table).set(row, String(value));
  }

  override async remove(table: string, row: string): Promise<void> {
    await setImmediate();
    this.table(table).delete(row);
  }

  override async add(table: string, row: string, by: number): Promise<number> {
    await setImmediate();
    const rows = this.table(table);
    const sum = Number(rows.get(row) ?? 0) + by;
    rows.set(row, String(sum));
    return sum;
  }

  override async push(list: string, entries: readonly string[]): Promise<void> {
    await setImmediate();
    this.lists.set(list, [...(this.lists.get(list) ?? []), ...entries]);
  }

  override async take(list: string): Promise<string | undefined> {
    const end = performance.now() + TAKE_MS;
    while (performance.now() < end) {
      const entry = this.lists.get(list)?.shift();
      if (entry !== undefined) return entry;
      await setTimeout(POLL_MS);
    }
    return undefined;
  }

  private table(name: string): Map<string, string> {
    const rows = this.tables.get(name) ?? new Map<string, string>();
    this.tables.set(name, rows);
    return rows;
  }
}
