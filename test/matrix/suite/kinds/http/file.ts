import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Scope, StreamableFile, type Type } from '@nestjs/common';
import { Locked } from 'nest-redis-lock';
import { NumberPipe } from '../../enhancers.js';
import type { ScopeName } from '../../cell.js';
import { ConcurrencyProbe } from '../../concurrency-probe.js';

/** Creates a controller whose handlers return a file, which is sent after they have returned. */
export const fileController = (scope: ScopeName): Type => {
  @Controller({ path: 'orders', scope: scope === 'request' ? Scope.REQUEST : Scope.DEFAULT })
  class OrderFileController {
    constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {
      probe.register(this);
    }

    @Locked('order:<0>')
    @Get(':id/above')
    async above(@Param('id', NumberPipe) id: number): Promise<StreamableFile> {
      return new StreamableFile(this.fileOf(id));
    }

    @Get(':id/below')
    @Locked('order:<0>')
    async below(@Param('id', NumberPipe) id: number): Promise<StreamableFile> {
      return new StreamableFile(this.fileOf(id));
    }

    private fileOf(id: number): Readable {
      return Readable.from(this.probe.stream(id));
    }
  }
  return OrderFileController;
};
