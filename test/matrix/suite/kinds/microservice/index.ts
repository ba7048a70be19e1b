import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import {
  type ClientOptions,
  type ClientProxy,
  ClientProxyFactory,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { lastValueFrom, toArray } from 'rxjs';
import { badCall, goodCall } from '../../beside.js';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { UNLUCKY } from '../../room.js';
import { quiet, rootOf, type Stage, stageOf } from '../../stage.js';
import { until } from '../../until.js';
import { messagesController } from './controller.js';

/** One way for messages to travel. */
export interface Transport {
  readonly name: string;
  readonly options: () => Promise<BothSides>;
}

/** The options of each side. */
export interface BothSides {
  readonly server: MicroserviceOptions;
  readonly client: ClientOptions;
}

const withMicroservice = async (
  { options }: Transport,
  scope: ScopeName,
  use: (stage: Stage, client: ClientProxy) => Promise<void>,
): Promise<void> => {
  const sides = await options();
  const root = rootOf({ controllers: [messagesController(scope)] });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, { ...quiet, ...sides.server });
  const client = ClientProxyFactory.create(sides.client);
  try {
    await app.listen();
    await client.connect();
    await use(stageOf(app), client);
  } finally {
    await client.close();
    await app.close();
  }
};

/** Messages that are answered, by one value or by several. */
const answered = (transport: Transport, kind: string, pattern: string, values: number): Cells =>
  (['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withMicroservice(transport, scope, async ({ room, locks }, client) => {
        const send = (id: number): Promise<unknown[]> =>
          lastValueFrom(client.send<unknown>(`${pattern} ${position}`, rawId(id)).pipe(toArray()));
        await checkExclusion({ room, locks }, { call: send, scope });

        room.clear();
        assert.deepEqual(
          await send(5),
          Array.from({ length: values }, () => 'order:5'),
        );
        assert.deepEqual(room.journal, goodCall(5));

        room.clear();
        await assert.rejects(send(UNLUCKY), (error) => {
          assert.deepEqual(error, { refused: 'SoldOut' });
          return true;
        });
        assert.deepEqual(room.journal, badCall(UNLUCKY));
        await checkFree(locks, UNLUCKY);
      }),
    ),
  );

/** Events, whose senders are not told of their end. */
const emitted = (transport: Transport, kind: string): Cells =>
  (['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withMicroservice(transport, scope, async ({ room, locks }, client) => {
        const emit = (id: number): Promise<unknown> =>
          lastValueFrom(client.emit(`event ${position}`, rawId(id)), { defaultValue: undefined });
        await checkExclusion({ room, locks }, { call: emit, scope });

        room.clear();
        await emit(5);
        await until('the event was handled', () => room.journal.length >= goodCall(5).length);
        assert.deepEqual(room.journal, goodCall(5));

        room.clear();
        await emit(UNLUCKY);
        await until('the filter was asked', () => room.journal.includes('filter'));
        assert.deepEqual(room.journal, badCall(UNLUCKY));
        await checkFree(locks, UNLUCKY);
      }),
    ),
  );

export const microserviceCells = (transport: Transport): Cells => {
  const [message, several, event] = [
    `@MessagePattern, ${transport.name}`,
    `@MessagePattern, Observable, ${transport.name}`,
    `@EventPattern, ${transport.name}`,
  ] as const;
  return [
    ...answered(transport, message, 'message', 1),
    noTransient(message),
    ...answered(transport, several, 'several', 2),
    noTransient(several),
    ...emitted(transport, event),
    noTransient(event),
  ];
};
