import cluster from 'node:cluster';
import { ConflictException, Injectable } from '@nestjs/common';
import { LockService } from 'nest-redis-lock';
import { SALE_LOCK } from '../flash-sale/sale.service.js';
import { isOperatorAnswer, type OperatorAnswer, type OperatorRequest } from '../processes/process-protocol.js';

/** Asks the process that has started this one. */
@Injectable()
export class OperatorService {
  private lastId = 0;

  constructor(private readonly locks: LockService) {}

  /**
   * Kills a process that neither answers this request nor holds a sale.
   * @throws ConflictException as `ask` does, and in the first 100 ms of a sale: records of holders are written after them.
   */
  async kill(): Promise<OperatorAnswer> {
    const [seller] = (await this.locks.getLock(SALE_LOCK).inspect()).holders;
    if (seller !== undefined && seller.record === undefined)
      throw new ConflictException('A sale has begun a moment ago; wait until its process is known.');
    return this.ask({ wanted: 'kill', spare: seller?.record?.pid });
  }

  /** @throws ConflictException if it refuses, with its reason, or if there is no such process. */
  async ask(asked: Omit<OperatorRequest, 'id'>): Promise<OperatorAnswer> {
    const { worker } = cluster;
    if (worker === undefined) throw new ConflictException('That needs the processes of npm start.');
    const request: OperatorRequest = { id: ++this.lastId, ...asked };
    const answer = new Promise<OperatorAnswer>((resolve) => {
      const receive = (message: unknown): void => {
        if (!isOperatorAnswer(message) || message.id !== request.id) return;
        worker.off('message', receive);
        resolve(message);
      };
      worker.on('message', receive);
    });
    worker.send(request);
    const given = await answer;
    if (given.refused !== undefined) throw new ConflictException(given.refused);
    return given;
  }
}
