import { Controller, HttpCode, Post } from '@nestjs/common';
import type { OperatorAnswer } from '../processes/process-protocol.js';
import { OperatorService } from './operator.service.js';

/** The buttons of the page that act on the shop itself. */
@Controller()
export class OperatorController {
  constructor(private readonly operator: OperatorService) {}

  /** Kills a process that neither answers nor holds a sale; 200 with its number, 409 if that is not possible. */
  @Post('processes/kill')
  @HttpCode(200)
  kill(): Promise<OperatorAnswer> {
    return this.operator.kill();
  }

  /** Holds a sale in a second shop, without locks; 200 with its figures, 409 during another one. */
  @Post('sales/without-locks')
  @HttpCode(200)
  sellWithoutLocks(): Promise<OperatorAnswer> {
    return this.operator.ask({ wanted: 'sell-without-locks' });
  }
}
