import assert from 'node:assert/strict';
import type { INestApplication, WebSocketAdapter } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { journalOfFailure, journalOfSuccess } from '../../enhancers.js';
import { blank, type Cells, inBothPositions } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { FAILING } from '../../concurrency-probe.js';
import { withHttpApplication } from '../../http-application.js';
import { until } from '../../until.js';
import { OrderGateway } from './gateway.js';

/** An answer to a client: the event and its data. */
export type Answer = readonly [event: string, data: unknown];

/** One kind of socket, on both sides. */
export interface Sockets {
  readonly name: string;
  readonly adapter: (app: INestApplication) => WebSocketAdapter;
  /** Connects, sends, waits for this many answers, and disconnects. */
  readonly ask: (url: string, event: string, data: string, answers: number) => Promise<readonly Answer[]>;
}

const cellsFor = ({ adapter, ask }: Sockets, kind: string, event: string, count: number): Cells => [
  ...inBothPositions(kind, 'singleton', (position) =>
    withHttpApplication(
      new ExpressAdapter(),
      { providers: [OrderGateway] },
      async ({ probe, locks, url }) => {
        const send = (id: number, answers = count): Promise<readonly Answer[]> =>
          ask(url, `${event} ${position}`, rawId(id), answers);
        await checkExclusion({ probe, locks }, { call: send });

        probe.clear();
        assert.deepEqual(
          await send(5),
          Array.from({ length: count }, () => ['paid', 'order:5']),
        );
        await until('the interceptor saw the end', () => probe.journal.length >= journalOfSuccess(5).length);
        assert.deepEqual(probe.journal, journalOfSuccess(5));

        probe.clear();
        const answers = await send(FAILING, count);
        assert.deepEqual(answers.at(-1), ['refused', 'SoldOut']);
        assert.deepEqual(probe.journal, journalOfFailure(FAILING));
        await checkFree(locks, FAILING);
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
