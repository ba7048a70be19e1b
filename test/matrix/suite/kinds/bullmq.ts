import { Inject, Scope, type Type } from '@nestjs/common';
import { BullModule, getQueueToken, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job, Queue } from 'bullmq';
import { Locked } from 'nest-redis-lock';
import { blank, type Cell, type Cells, inBothPositions, noTransient, type ScopeName } from '../cell.js';
import { checkExclusion } from '../exclusion.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { serverUrl, type ApplicationUnderTest, withContext } from '../application.js';

const QUEUE = 'orders';
const AT_ONCE = 5;

interface OrderToPay {
  readonly id: number;
}

const processorOf = (scope: ScopeName): Type => {
  @Processor({ name: QUEUE, scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT }, { concurrency: AT_ONCE })
  class OrderProcessor extends WorkerHost {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      super();
      probe.register(this);
    }

    @Locked((job: Job<OrderToPay>) => `order:${job.data.id}`)
    async process(job: Job<OrderToPay>): Promise<string> {
      return this.probe.work(job.data.id);
    }
  }
  return OrderProcessor;
};

@Processor(QUEUE, { concurrency: AT_ONCE })
class ListeningProcessor extends WorkerHost {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
    super();
    probe.register(this);
  }

  async process(): Promise<void> {}

  @Locked((job: Job<OrderToPay>) => `order:${job.data.id}`)
  @OnWorkerEvent('completed')
  async above(job: Job<OrderToPay>): Promise<void> {
    if (job.name === 'above') await this.probe.work(job.data.id);
  }

  @OnWorkerEvent('completed')
  @Locked((job: Job<OrderToPay>) => `order:${job.data.id}`)
  async below(job: Job<OrderToPay>): Promise<void> {
    if (job.name === 'below') await this.probe.work(job.data.id);
  }
}

const withQueue = (
  processor: Type,
  use: (tested: ApplicationUnderTest, queue: Queue<OrderToPay>) => Promise<void>,
): Promise<void> => {
  const { hostname, port } = new URL(serverUrl());
  const connection = { host: hostname, port: Number(port) };
  const imports = [BullModule.forRoot({ connection }), BullModule.registerQueue({ name: QUEUE })];
  return withContext({ imports, providers: [processor] }, async (tested) => {
    const queue = tested.app.get<Queue<OrderToPay>>(getQueueToken(QUEUE));
    await use(tested, queue);
  });
};

const kind = 'BullMQ processor';

const processing = (scope: ScopeName): Cell => ({
  kind,
  scope,
  position: 'alone',
  check: () =>
    withQueue(processorOf(scope), (tested, queue) =>
      checkExclusion(tested, { call: (id) => queue.add('pay', { id }), scope }),
    ),
});

export const cells: Cells = [
  processing('singleton'),
  processing('request'),
  noTransient(kind),
  ...inBothPositions('BullMQ @OnWorkerEvent', 'singleton', (position) =>
    withQueue(ListeningProcessor, (tested, queue) =>
      checkExclusion(tested, { call: (id) => queue.add(position, { id }) }),
    ),
  ),
  blank('BullMQ @OnWorkerEvent', 'request', 'Events of a worker belong to no job that an instance could be made for.'),
  noTransient('BullMQ @OnWorkerEvent'),
];
