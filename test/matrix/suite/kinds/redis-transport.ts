import { Transport } from '@nestjs/microservices';
import type { Cells } from '../cell.js';
import { serverUrl } from '../application.js';
import { microserviceCells } from './microservice/index.js';

export const cells: Cells = microserviceCells({
  name: 'Redis',
  options: async () => {
    const { hostname, port } = new URL(serverUrl());
    const settings = { transport: Transport.REDIS, options: { host: hostname, port: Number(port) } } as const;
    return { server: settings, client: settings };
  },
});
