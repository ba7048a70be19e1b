import { Catch, Inject, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';
import { ConcurrencyProbe, SoldOut } from '../../concurrency-probe.js';

/** Sends the client the error of a locked handler in a form of its own. */
@Catch(SoldOut)
export class SoldOutRpcFilter implements RpcExceptionFilter<SoldOut> {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

  catch(error: SoldOut): Observable<never> {
    this.probe.record('filter');
    return throwError(() => ({ refused: error.name }));
  }
}
