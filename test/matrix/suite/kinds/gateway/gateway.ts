import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { MessageBody, SubscribeMessage, WebSocketGateway, type WsResponse } from '@nestjs/websockets';
import { Locked } from 'nest-redis-lock';
import { map, Observable } from 'rxjs';
import { WithEnhancers, NumberPipe } from '../../enhancers.js';
import { ConcurrencyProbe, SoldOut } from '../../concurrency-probe.js';

interface AnySocket {
  /** Method of socket.io. */
  readonly emit: (event: string, data: unknown) => void;
  /** Method of ws. */
  readonly send: (message: string) => void;
  /** Property of socket.io only. */
  readonly handshake?: unknown;
}

/** Sends the client the error of a locked handler in a form of its own. */
@Catch(SoldOut)
class SoldOutSocketFilter implements ExceptionFilter<SoldOut> {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

  catch(error: SoldOut, host: ArgumentsHost): void {
    this.probe.record('filter');
    const client = host.switchToWs().getClient<AnySocket>();
    if (client.handshake) client.emit('refused', error.name);
    else client.send(JSON.stringify({ event: 'refused', data: error.name }));
  }
}

const paid = (data: string): WsResponse<string> => ({ event: 'paid', data });

@WebSocketGateway()
export class OrderGateway {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
    probe.register(this);
  }

  @Locked('order:<0>')
  @SubscribeMessage('message above')
  @WithEnhancers(SoldOutSocketFilter)
  async messageAbove(@MessageBody(NumberPipe) id: number): Promise<WsResponse<string>> {
    return paid(await this.probe.work(id));
  }

  @SubscribeMessage('message below')
  @WithEnhancers(SoldOutSocketFilter)
  @Locked('order:<0>')
  async messageBelow(@MessageBody(NumberPipe) id: number): Promise<WsResponse<string>> {
    return paid(await this.probe.work(id));
  }

  @Locked('order:<0>')
  @SubscribeMessage('several above')
  @WithEnhancers(SoldOutSocketFilter)
  severalAbove(@MessageBody(NumberPipe) id: number): Observable<WsResponse<string>> {
    return this.probe.observe(id).pipe(map(paid));
  }

  @SubscribeMessage('several below')
  @WithEnhancers(SoldOutSocketFilter)
  @Locked('order:<0>')
  severalBelow(@MessageBody(NumberPipe) id: number): Observable<WsResponse<string>> {
    return this.probe.observe(id).pipe(map(paid));
  }
}
