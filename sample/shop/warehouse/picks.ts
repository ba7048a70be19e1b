import { Injectable } from '@nestjs/common';
import { ShopData } from '../data/shop-data.js';
import type { Order, OrderLine } from '../orders/order.js';

/** One line of an order that is to be fetched. */
export interface PickTask extends OrderLine {
  readonly orderId: string;
}

/** A line that was fetched. */
export interface PickedLine extends PickTask {
  /** The number of the process whose picker fetched it. */
  readonly pickedBy: number;
}

/** The queue of lines to fetch, and the fetched lines of each order. */
@Injectable()
export class Picks {
  constructor(private readonly data: ShopData) {}

  async add({ id, lines }: Order): Promise<void> {
    const tasks = lines.map((line): PickTask => ({ orderId: id, ...line }));
    await this.data.push(
      'pick-tasks',
      tasks.map((task) => JSON.stringify(task)),
    );
  }

  /** The next task; undefined if there is none for a moment. */
  async next(): Promise<PickTask | undefined> {
    const entry = await this.data.take('pick-tasks');
    return entry === undefined ? undefined : (JSON.parse(entry) as PickTask);
  }

  async put(line: PickedLine): Promise<void> {
    await this.data.write(table(line.orderId), line.sku, JSON.stringify(line));
  }

  async of(orderId: string): Promise<readonly PickedLine[]> {
    return [...(await this.data.readAll(table(orderId))).values()].map((text) => JSON.parse(text) as PickedLine);
  }
}

const table = (orderId: string): string => `picked:${orderId}`;
