import { Controller, Inject, Scope, type Type } from '@nestjs/common';
import { EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { Locked } from 'nest-redis-lock';
import { Observable } from 'rxjs';
import { Beside, NumberPipe } from '../../beside.js';
import type { ScopeName } from '../../cell.js';
import { Room } from '../../room.js';
import { SoldOutRpcFilter } from './filter.js';

/** Handlers of messages, which are answered, and of events, which are not. */
export const messagesController = (scope: ScopeName): Type => {
  @Controller({ scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderMessages {
    constructor(@Inject(Room) private readonly room: Room) {
      room.meet(this);
    }

    @Locked('order:<0>')
    @MessagePattern('message above')
    @Beside(SoldOutRpcFilter)
    async messageAbove(@Payload(NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @MessagePattern('message below')
    @Beside(SoldOutRpcFilter)
    @Locked('order:<0>')
    async messageBelow(@Payload(NumberPipe) id: number): Promise<string> {
      return this.room.visit(id);
    }

    @Locked('order:<0>')
    @MessagePattern('several above')
    @Beside(SoldOutRpcFilter)
    severalAbove(@Payload(NumberPipe) id: number): Observable<string> {
      return this.room.watch(id);
    }

    @MessagePattern('several below')
    @Beside(SoldOutRpcFilter)
    @Locked('order:<0>')
    severalBelow(@Payload(NumberPipe) id: number): Observable<string> {
      return this.room.watch(id);
    }

    @Locked('order:<0>')
    @EventPattern('event above')
    @Beside(SoldOutRpcFilter)
    async eventAbove(@Payload(NumberPipe) id: number): Promise<void> {
      await this.room.visit(id);
    }

    @EventPattern('event below')
    @Beside(SoldOutRpcFilter)
    @Locked('order:<0>')
    async eventBelow(@Payload(NumberPipe) id: number): Promise<void> {
      await this.room.visit(id);
    }
  }
  return OrderMessages;
};
