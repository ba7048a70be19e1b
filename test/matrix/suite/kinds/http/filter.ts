import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus, Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ConcurrencyProbe, SoldOut } from '../../concurrency-probe.js';

/** Answers the error of a locked handler in a form of its own. */
@Catch(SoldOut)
export class SoldOutFilter implements ExceptionFilter<SoldOut> {
  constructor(
    @Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
  ) {}

  catch(error: SoldOut, host: ArgumentsHost): void {
    this.probe.record('filter');
    this.adapters.httpAdapter.reply(host.switchToHttp().getResponse(), error.name, HttpStatus.I_AM_A_TEAPOT);
  }
}
