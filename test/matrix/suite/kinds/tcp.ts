import { Transport } from '@nestjs/microservices';
import type { Cells } from '../cell.js';
import { freePort } from '../free-port.js';
import { microserviceCells } from './microservice/index.js';

export const cells: Cells = microserviceCells({
  name: 'TCP',
  options: async () => {
    const settings = { transport: Transport.TCP, options: { host: '127.0.0.1', port: await freePort() } } as const;
    return { server: settings, client: settings };
  },
});
