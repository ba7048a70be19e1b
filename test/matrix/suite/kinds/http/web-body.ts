import { ReadableStream } from 'node:stream/web';
import { Controller, Get, Inject, Param, Scope, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';

type Body = ReadableStream<Uint8Array>;

/** Creates controllers whose handlers return a web stream or a `Response`, which Nest 12 sends afterwards. */
const webBodyController =
  (answer: (body: Body) => Body | Response) =>
  (scope: ScopeName): Type => {
    @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
    class OrderBodyController {
      constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
        probe.register(this);
      }

      @Locked('order:<0>')
      @Get(':id/above')
      async above(@Param('id', NumberPipe) id: number): Promise<unknown> {
        return answer(this.bodyFor(id));
      }

      @Get(':id/below')
      @Locked('order:<0>')
      async below(@Param('id', NumberPipe) id: number): Promise<unknown> {
        return answer(this.bodyFor(id));
      }

      private bodyFor(id: number): Body {
        const pieces = this.probe.stream(id);
        const encoder = new TextEncoder();
        return new ReadableStream({
          async pull(controller) {
            const { done, value } = await pieces.next();
            if (done) controller.close();
            else controller.enqueue(encoder.encode(value));
          },
          cancel: async () => void (await pieces.return(undefined)),
        });
      }
    }
    return OrderBodyController;
  };

export const webStreamController = webBodyController((body) => body);
export const webResponseController = webBodyController((body) => new Response(body));
