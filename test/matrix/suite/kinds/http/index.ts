import type { AbstractHttpAdapter } from '@nestjs/core';
import { type Cells, noTransient, POSITIONS } from '../../cell.js';
import { nestMajor } from '../../nest.js';
import { aroundCells } from './around.js';
import { bodyCells } from './body.js';
import { durableCells } from './durable.js';
import { eventsController, promisedEventsController } from './events.js';
import { fileController } from './file.js';
import { handlerCells } from './handler.js';
import { itemsController } from './items.js';
import { lastingCells, type LastingHandler } from './lasting.js';
import { observableController, promisedObservableController } from './observable.js';
import { rawController } from './raw-response.js';
import { webResponseController, webStreamController } from './web-body.js';

/** Cells of results that Nest 12 sends, and that Nest 11 serializes as JSON objects. */
const sinceNest12 = (handler: LastingHandler): Cells => {
  if (nestMajor() >= 12) return lastingCells(handler);
  const { kind } = handler;
  const reason = 'Nest 11 does not send what is in it, but makes JSON of the object.';
  return [
    ...(['singleton', 'request'] as const).flatMap((scope) =>
      POSITIONS.map((position) => ({ kind, scope, position, reason })),
    ),
    noTransient(kind),
  ];
};

/** Cells of all kinds of handlers, on one adapter. */
export const httpCells = (name: string, adapter: () => AbstractHttpAdapter): Cells => {
  const nameOf = (id: number): string => `order:${id}`;
  return [
    ...handlerCells(`HTTP handler, ${name}`, adapter),
    ...durableCells(name, adapter),
    ...bodyCells(`HTTP handler, validated body, ${name}`, adapter),
    ...lastingCells({
      kind: `HTTP @Res(), ${name}`,
      adapter,
      controller: rawController,
      answer: nameOf,
      isEndedByClient: false,
    }),
    // Nest sends only the last of several values, so it does not notice a client that leaves earlier.
    ...lastingCells({
      kind: `HTTP Observable, ${name}`,
      adapter,
      controller: observableController,
      answer: nameOf,
      isEndedByClient: false,
    }),
    ...lastingCells({
      kind: `HTTP promise of an Observable, ${name}`,
      adapter,
      controller: promisedObservableController,
      answer: nameOf,
      isEndedByClient: false,
    }),
    ...lastingCells({
      kind: `HTTP @Sse(), ${name}`,
      adapter,
      controller: eventsController,
      answer: (id) => `\nid: 1\ndata: order:${id}\n\nid: 2\ndata: order:${id}\n\n`,
      isEndedByClient: true,
    }),
    ...lastingCells({
      kind: `HTTP @Sse(), promise of an Observable, ${name}`,
      adapter,
      controller: promisedEventsController,
      answer: (id) => `\nid: 1\ndata: order:${id}\n\nid: 2\ndata: order:${id}\n\n`,
      isEndedByClient: true,
    }),
    ...lastingCells({
      kind: `HTTP StreamableFile, ${name}`,
      adapter,
      controller: fileController,
      answer: (id) => `first of ${id}, last of ${id}`,
      isEndedByClient: true,
    }),
    ...sinceNest12({
      kind: `HTTP async generator, ${name}`,
      adapter,
      controller: itemsController,
      answer: (id) => `order:${id}`.repeat(2),
      isEndedByClient: true,
    }),
    ...sinceNest12({
      kind: `HTTP ReadableStream, ${name}`,
      adapter,
      controller: webStreamController,
      answer: (id) => `first of ${id}, last of ${id}`,
      isEndedByClient: true,
    }),
    ...sinceNest12({
      kind: `HTTP Response, ${name}`,
      adapter,
      controller: webResponseController,
      answer: (id) => `first of ${id}, last of ${id}`,
      isEndedByClient: true,
    }),
    ...aroundCells(name, adapter),
  ];
};
