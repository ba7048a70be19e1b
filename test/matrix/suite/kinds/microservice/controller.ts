import { Controller, Inject, Scope, type Type } from '@nestjs/common';
import { EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { Locked } from 'nest-redis-lock';
import { Observable } from 'rxjs';
import { WithEnhancers, NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';
import { SoldOutRpcFilter } from './filter.js';

/** Creates a controller with handlers of messages, which are answered, and of events, which are not. */
export const messagesController = (scope: ScopeName): Type => {
  @Controller({ scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderMessages {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @MessagePattern('message above')
    @WithEnhancers(SoldOutRpcFilter)
    async messageAbove(@Payload(NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @MessagePattern('message below')
    @WithEnhancers(SoldOutRpcFilter)
    @Locked('order:<0>')
    async messageBelow(@Payload(NumberPipe) id: number): Promise<string> {
      return this.probe.work(id);
    }

    @Locked('order:<0>')
    @MessagePattern('several above')
    @WithEnhancers(SoldOutRpcFilter)
    severalAbove(@Payload(NumberPipe) id: number): Observable<string> {
      return this.probe.observe(id);
    }

    @MessagePattern('several below')
    @WithEnhancers(SoldOutRpcFilter)
    @Locked('order:<0>')
    severalBelow(@Payload(NumberPipe) id: number): Observable<string> {
      return this.probe.observe(id);
    }

    @Locked('order:<0>')
    @EventPattern('event above')
    @WithEnhancers(SoldOutRpcFilter)
    async eventAbove(@Payload(NumberPipe) id: number): Promise<void> {
      await this.probe.work(id);
    }

    @EventPattern('event below')
    @WithEnhancers(SoldOutRpcFilter)
    @Locked('order:<0>')
    async eventBelow(@Payload(NumberPipe) id: number): Promise<void> {
      await this.probe.work(id);
    }
  }
  return OrderMessages;
};
