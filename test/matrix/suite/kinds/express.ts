import { ExpressAdapter } from '@nestjs/platform-express';
import type { Cells } from '../cell.js';
import { httpCells } from './http/index.js';

export const cells: Cells = httpCells('Express', () => new ExpressAdapter());
