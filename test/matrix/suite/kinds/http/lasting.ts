import assert from 'node:assert/strict';
import type { Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { type Cells, inBothPositions, noTransient, type ScopeName } from '../../cell.js';
import { checkExclusion, checkFree, rawId } from '../../exclusion.js';
import { ENDLESS } from '../../concurrency-probe.js';
import { withHttpApplication } from '../../http-application.js';
import { until } from '../../until.js';

/** A controller at `orders/:id/above` and `orders/:id/below` whose answers go on after the handler has returned. */
export interface LastingHandler {
  readonly kind: string;
  readonly adapter: () => AbstractHttpAdapter;
  readonly controller: (scope: ScopeName) => Type;
  /** The whole answer for an id. */
  readonly answer: (id: number) => string;
  /** Whether a client that leaves ends the work. */
  readonly isEndedByClient: boolean;
}

export const lastingCells = ({ kind, adapter, controller, answer, isEndedByClient }: LastingHandler): Cells => [
  ...(['singleton', 'request'] as const).flatMap((scope) =>
    inBothPositions(kind, scope, (position) =>
      withHttpApplication(adapter(), { controllers: [controller(scope)] }, async ({ probe, locks, url }) => {
        const ask = (id: number, signal: AbortSignal | null = null): Promise<Response> =>
          fetch(`${url}/orders/${encodeURIComponent(rawId(id))}/${position}`, { signal });
        const whole = async (id: number): Promise<void> => {
          const response = await ask(id);
          assert.equal(await response.text(), answer(id));
          assert.equal(response.status, 200);
        };
        await checkExclusion({ probe, locks }, { call: whole, scope });
        if (!isEndedByClient) return;

        const leaving = new AbortController();
        const response = ask(ENDLESS, leaving.signal);
        await until('the handler is working', () => !probe.isIdle);
        assert.equal(await locks.getLock(`order:${ENDLESS}`).isLocked(), true, 'held while the client is there');
        leaving.abort();
        await assert.rejects(response.then((answered) => answered.text()));
        await checkFree(locks, ENDLESS);
        await until('the work has ended', () => probe.isIdle);
      }),
    ),
  ),
  noTransient(kind),
];
