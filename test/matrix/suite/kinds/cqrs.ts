import { Inject, Scope, type Type } from '@nestjs/common';
import {
  CommandBus,
  CommandHandler,
  CqrsModule,
  EventBus,
  EventsHandler,
  type ICommandHandler,
  type IEventHandler,
  type IQueryHandler,
  QueryBus,
  QueryHandler,
} from '@nestjs/cqrs';
import { Locked } from 'nest-redis-lock';
import { type Cell, type Cells, noTransient, type ScopeName } from '../cell.js';
import { checkExclusion } from '../exclusion.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { type ApplicationUnderTest, withContext } from '../application.js';

class PayOrder {
  constructor(readonly id: number) {}
}

class ShowOrder {
  constructor(readonly id: number) {}
}

class OrderPaid {
  constructor(readonly id: number) {}
}

type Handled = 'command' | 'query' | 'event';

const handlersOf = (scopeName: ScopeName): Readonly<Record<Handled, Type>> => {
  const scope = scopeName === 'request' ? Scope.REQUEST : Scope.DEFAULT;

  @CommandHandler(PayOrder, { scope })
  class PayOrderHandler implements ICommandHandler<PayOrder> {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0.id>')
    async execute({ id }: PayOrder): Promise<string> {
      return this.probe.work(id);
    }
  }

  @QueryHandler(ShowOrder, { scope })
  class ShowOrderHandler implements IQueryHandler<ShowOrder> {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0.id>')
    async execute({ id }: ShowOrder): Promise<string> {
      return this.probe.work(id);
    }
  }

  @EventsHandler(OrderPaid, { scope })
  class OrderPaidHandler implements IEventHandler<OrderPaid> {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0.id>')
    async handle({ id }: OrderPaid): Promise<void> {
      await this.probe.work(id);
    }
  }
  return { command: PayOrderHandler, query: ShowOrderHandler, event: OrderPaidHandler };
};

type Call = (tested: ApplicationUnderTest, id: number) => Promise<unknown>;

const calls: Readonly<Record<Handled, Call>> = {
  command: ({ app }, id) => app.get(CommandBus).execute(new PayOrder(id)),
  query: ({ app }, id) => app.get(QueryBus).execute(new ShowOrder(id)),
  event: async ({ app }, id) => app.get(EventBus).publish(new OrderPaid(id)),
};

const cellsOf = (name: Handled): Cells => {
  const kind = `CQRS ${name} handler`;
  const place = (scope: ScopeName): Cell => ({
    kind,
    scope,
    position: 'alone',
    check: () =>
      withContext({ imports: [CqrsModule.forRoot()], providers: [handlersOf(scope)[name]] }, async (tested) => {
        await checkExclusion(tested, { call: (id) => calls[name](tested, id), scope });
      }),
  });
  return [place('singleton'), place('request'), noTransient(kind)];
};

export const cells: Cells = (['command', 'query', 'event'] as const).flatMap(cellsOf);
