import type { AbstractHttpAdapter } from '@nestjs/core';
import type { Cells } from '../../cell.js';
import { handlerCells } from './handler.js';

/** Everything a controller can do, on one adapter. */
export const httpCells = (name: string, adapter: () => AbstractHttpAdapter): Cells => [
  ...handlerCells(`HTTP handler, ${name}`, adapter),
];
