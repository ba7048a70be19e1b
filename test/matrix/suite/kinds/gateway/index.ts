import assert from 'node:assert/strict';
import type { INestApplication, WebSocketAdapter } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { badCall, goodCall } from '../../beside.js';
import { blank, type Cells, inBothPositions } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { UNLUCKY } from '../../room.js';
import { withServed } from '../../served.js';
import { until } from '../../until.js';
import { OrderGateway } from './gateway.js';

/** What a client got: the event and what came with it. */
export type Answer = readonly [event: string, data: unknown];

/** One kind of socket, on both sides. */
export interface Sockets {
  readonly name: string;
  readonly adapter: (app: INestApplication) => WebSocketAdapter;
  /** Connects, sends, waits for so many answers, and hangs up. */
  readonly ask: (url: string, event: string, data: string, answers: number) => Promise<readonly Answer[]>;
}

const cellsFor = ({ adapter, ask }: Sockets, kind: string, event: string, count: number): Cells => [
  ...inBothPositions(kind, 'singleton', (position) =>
    withServed(
      new ExpressAdapter(),
      { providers: [OrderGateway] },
      async ({ room, locks, url }) => {
        const send = (id: number, answers = count): Promise<readonly Answer[]> =>
          ask(url, `${event} ${position}`, rawId(id), answers);
        await checkExclusion({ room, locks }, { call: send });

        room.clear();
        assert.deepEqual(
          await send(5),
          Array.from({ length: count }, () => ['paid', 'order:5']),
        );
        await until('the interceptor saw the end', () => room.journal.length >= goodCall(5).length);
        assert.deepEqual(room.journal, goodCall(5));

        room.clear();
        const answers = await send(UNLUCKY, count);
        assert.deepEqual(answers.at(-1), ['refused', 'SoldOut']);
        assert.deepEqual(room.journal, badCall(UNLUCKY));
        await checkFree(locks, UNLUCKY);
      },
      (app) => void app.useWebSocketAdapter(adapter(app)),
    ),
  ),
  blank(kind, 'request', 'Nest makes one instance of a gateway: it is bound to a server of sockets when it is made.'),
  blank(kind, 'transient', 'Nest makes one instance of a gateway: it is bound to a server of sockets when it is made.'),
];

export const gatewayCells = (sockets: Sockets): Cells => [
  ...cellsFor(sockets, `gateway, ${sockets.name}`, 'message', 1),
  ...cellsFor(sockets, `gateway, Observable, ${sockets.name}`, 'several', 2),
];
