import assert from 'node:assert/strict';
import { NestFactory } from '@nestjs/core';
import {
  type ClientOptions,
  type ClientProxy,
  ClientProxyFactory,
  type MicroserviceOptions,
} from '@nestjs/microservices';
import { lastValueFrom, toArray } from 'rxjs';
import { journalOfFailure, journalOfSuccess } from '../../enhancers.js';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { FAILING } from '../../concurrency-probe.js';
import { quiet, rootOf, type ApplicationUnderTest, underTest } from '../../application.js';
import { until } from '../../until.js';
import { messagesController } from './controller.js';

/** A transport of messages. */
export interface Transport {
  readonly name: string;
  readonly options: () => Promise<BothSides>;
}

/** The options of server and client. */
export interface BothSides {
  readonly server: MicroserviceOptions;
  readonly client: ClientOptions;
}

const withMicroservice = async (
  { options }: Transport,
  scope: ScopeName,
  use: (tested: ApplicationUnderTest, client: ClientProxy) => Promise<void>,
): Promise<void> => {
  const sides = await options();
  const root = rootOf({ controllers: [messagesController(scope)] });
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, { ...quiet, ...sides.server });
  const client = ClientProxyFactory.create(sides.client);
  try {
    await app.listen();
    await client.connect();
    await use(underTest(app), client);
  } finally {
    await client.close();
    await app.close();
  }
};

/** Cells of messages that are answered, by one value or by several. */
const answered = (transport: Transport, kind: string, pattern: string, values: number): Cells =>
  (['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withMicroservice(transport, scope, async ({ probe, locks }, client) => {
        const send = (id: number): Promise<unknown[]> =>
          lastValueFrom(client.send<unknown>(`${pattern} ${position}`, rawId(id)).pipe(toArray()));
        await checkExclusion({ probe, locks }, { call: send, scope });

        probe.clear();
        assert.deepEqual(
          await send(5),
          Array.from({ length: values }, () => 'order:5'),
        );
        assert.deepEqual(probe.journal, journalOfSuccess(5));

        probe.clear();
        await assert.rejects(send(FAILING), (error) => {
          assert.deepEqual(error, { refused: 'SoldOut' });
          return true;
        });
        assert.deepEqual(probe.journal, journalOfFailure(FAILING));
        await checkFree(locks, FAILING);
      }),
    ),
  );

/** Cells of events, whose senders get no answer. */
const emitted = (transport: Transport, kind: string): Cells =>
  (['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withMicroservice(transport, scope, async ({ probe, locks }, client) => {
        const emit = (id: number): Promise<unknown> =>
          lastValueFrom(client.emit(`event ${position}`, rawId(id)), { defaultValue: undefined });
        await checkExclusion({ probe, locks }, { call: emit, scope });

        probe.clear();
        await emit(5);
        await until('the event was handled', () => probe.journal.length >= journalOfSuccess(5).length);
        assert.deepEqual(probe.journal, journalOfSuccess(5));

        probe.clear();
        await emit(FAILING);
        await until('the filter was asked', () => probe.journal.includes('filter'));
        assert.deepEqual(probe.journal, journalOfFailure(FAILING));
        await checkFree(locks, FAILING);
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
