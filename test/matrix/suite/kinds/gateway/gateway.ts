import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { MessageBody, SubscribeMessage, WebSocketGateway, type WsResponse } from '@nestjs/websockets';
import { Locked } from 'nest-redis-lock';
import { map, Observable } from 'rxjs';
import { Beside, NumberPipe } from '../../beside.js';
import { Room, SoldOut } from '../../room.js';

interface AnySocket {
  /** Of socket.io. */
  readonly emit: (event: string, data: unknown) => void;
  /** Of ws. */
  readonly send: (message: string) => void;
  /** Of socket.io only. */
  readonly handshake?: unknown;
}

/** Tells the client in its own way what a locked handler threw. */
@Catch(SoldOut)
class SoldOutSocketFilter implements ExceptionFilter<SoldOut> {
  constructor(@Inject(Room) private readonly room: Room) {}

  catch(error: SoldOut, host: ArgumentsHost): void {
    this.room.note('filter');
    const client = host.switchToWs().getClient<AnySocket>();
    if (client.handshake) client.emit('refused', error.name);
    else client.send(JSON.stringify({ event: 'refused', data: error.name }));
  }
}

const paid = (data: string): WsResponse<string> => ({ event: 'paid', data });

@WebSocketGateway()
export class OrderGateway {
  constructor(@Inject(Room) private readonly room: Room) {
    room.meet(this);
  }

  @Locked('order:<0>')
  @SubscribeMessage('message above')
  @Beside(SoldOutSocketFilter)
  async messageAbove(@MessageBody(NumberPipe) id: number): Promise<WsResponse<string>> {
    return paid(await this.room.visit(id));
  }

  @SubscribeMessage('message below')
  @Beside(SoldOutSocketFilter)
  @Locked('order:<0>')
  async messageBelow(@MessageBody(NumberPipe) id: number): Promise<WsResponse<string>> {
    return paid(await this.room.visit(id));
  }

  @Locked('order:<0>')
  @SubscribeMessage('several above')
  @Beside(SoldOutSocketFilter)
  severalAbove(@MessageBody(NumberPipe) id: number): Observable<WsResponse<string>> {
    return this.room.watch(id).pipe(map(paid));
  }

  @SubscribeMessage('several below')
  @Beside(SoldOutSocketFilter)
  @Locked('order:<0>')
  severalBelow(@MessageBody(NumberPipe) id: number): Observable<WsResponse<string>> {
    return this.room.watch(id).pipe(map(paid));
  }
}
