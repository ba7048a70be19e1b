import { once } from 'node:events';
import { WsAdapter } from '@nestjs/platform-ws';
import { WebSocket } from 'ws';
import type { Cells } from '../cell.js';
import { until } from '../until.js';
import { type Answer, gatewayCells } from './gateway/index.js';

export const cells: Cells = gatewayCells({
  name: 'ws',
  adapter: (app) => new WsAdapter(app),
  ask: async (url, event, data, count) => {
    const socket = new WebSocket(url.replace('http', 'ws'));
    const answers: Answer[] = [];
    socket.on('message', (message) => {
      const got = JSON.parse(String(message)) as { event: string; data: unknown };
      answers.push([got.event, got.data]);
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ event, data }));
    await until(`${count} answers`, () => answers.length === count);
    socket.close();
    await once(socket, 'close');
    return answers;
  },
});
