import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus, Inject } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Room, SoldOut } from '../../room.js';

/** Answers in its own way for what a locked handler throws. */
@Catch(SoldOut)
export class SoldOutFilter implements ExceptionFilter<SoldOut> {
  constructor(
    @Inject(Room) private readonly room: Room,
    @Inject(HttpAdapterHost) private readonly adapters: HttpAdapterHost,
  ) {}

  catch(error: SoldOut, host: ArgumentsHost): void {
    this.room.note('filter');
    this.adapters.httpAdapter.reply(host.switchToHttp().getResponse(), error.name, HttpStatus.I_AM_A_TEAPOT);
  }
}
