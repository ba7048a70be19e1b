import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

/** Takes the time that a payment provider takes. */
@Injectable()
export class Payment {
  constructor(private readonly ms: number) {}

  async charge(): Promise<void> {
    await setTimeout(this.ms);
  }
}
