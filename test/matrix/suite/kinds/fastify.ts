import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { Cells } from '../cell.js';
import { httpCells } from './http/index.js';

export const cells: Cells = httpCells('Fastify', () => new FastifyAdapter({ forceCloseConnections: true }));
