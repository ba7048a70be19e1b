import { IoAdapter } from '@nestjs/platform-socket.io';
import { io } from 'socket.io-client';
import type { Cells } from '../cell.js';
import { until } from '../until.js';
import { type Answer, gatewayCells } from './gateway/index.js';

export const cells: Cells = gatewayCells({
  name: 'socket.io',
  adapter: (app) => new IoAdapter(app),
  ask: async (url, event, data, count) => {
    const socket = io(url, { transports: ['websocket'], forceNew: true });
    const answers: Answer[] = [];
    for (const name of ['paid', 'refused', 'exception']) socket.on(name, (got: unknown) => answers.push([name, got]));
    socket.emit(event, data);
    await until(`${count} answers`, () => answers.length === count);
    socket.disconnect();
    return answers;
  },
});
