import { Injectable } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { Gate } from '../kit/gate.js';

/** Methods under locks that stay held until the test opens the gate. */
@Injectable()
export class Payments {
  readonly gate = new Gate();

  @Locked('order:<0>', { wait: '1h' })
  async pay(_order: string): Promise<void> {
    await this.gate.pass();
  }
}
