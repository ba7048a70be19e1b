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
import { Room } from '../room.js';
import { type Stage, withContext } from '../stage.js';

class PayOrder {
  constructor(readonly id: number) {}
}

class ShowOrder {
  constructor(readonly id: number) {}
}

class OrderPaid {
  constructor(readonly id: number) {}
}

const handlersOf = (scopeName: ScopeName): Type[] => {
  const scope = scopeName === 'request' ? Scope.REQUEST : Scope.DEFAULT;

  @CommandHandler(PayOrder, { scope })
  class PayOrderHandler implements ICommandHandler<PayOrder> {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0.id>')
    async execute({ id }: PayOrder): Promise<string> {
      return this.room.visit(id);
    }
  }

  @QueryHandler(ShowOrder, { scope })
  class ShowOrderHandler implements IQueryHandler<ShowOrder> {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0.id>')
    async execute({ id }: ShowOrder): Promise<string> {
      return this.room.visit(id);
    }
  }

  @EventsHandler(OrderPaid, { scope })
  class OrderPaidHandler implements IEventHandler<OrderPaid> {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0.id>')
    async handle({ id }: OrderPaid): Promise<void> {
      await this.room.visit(id);
    }
  }
  return [PayOrderHandler, ShowOrderHandler, OrderPaidHandler];
};

type Call = (stage: Stage, id: number) => Promise<unknown>;

const calls: Readonly<Record<'command' | 'query' | 'event', Call>> = {
  command: ({ app }, id) => app.get(CommandBus).execute(new PayOrder(id)),
  query: ({ app }, id) => app.get(QueryBus).execute(new ShowOrder(id)),
  event: async ({ app }, id) => app.get(EventBus).publish(new OrderPaid(id)),
};

const cellsOf = (name: keyof typeof calls): Cells => {
  const kind = `CQRS ${name} handler`;
  const place = (scope: ScopeName): Cell => ({
    kind,
    scope,
    position: 'alone',
    check: () =>
      withContext({ imports: [CqrsModule.forRoot()], providers: handlersOf(scope) }, async (stage) => {
        await stage.app.init();
        // One handler of each kind is made at the start; what counts is who is called.
        stage.room.clear();
        await checkExclusion(stage, { call: (id) => calls[name](stage, id), scope: scope === 'request' ? scope : 'transient' });
      }),
  });
  return [place('singleton'), place('request'), noTransient(kind)];
};

export const cells: Cells = (['command', 'query', 'event'] as const).flatMap(cellsOf);
