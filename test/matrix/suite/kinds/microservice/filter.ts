import { Catch, Inject, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { Room, SoldOut } from '../../room.js';

/** Tells the client in its own way what a locked handler threw. */
@Catch(SoldOut)
export class SoldOutRpcFilter implements RpcExceptionFilter<SoldOut> {
  constructor(@Inject(Room) private readonly room: Room) {}

  catch(error: SoldOut): Observable<never> {
    this.room.note('filter');
    return throwError(() => ({ refused: error.name }));
  }
}
