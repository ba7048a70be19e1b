import type { IncomingMessage, ServerResponse } from 'node:http';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { Scheduler } from '../../time/scheduler.js';

/** A request of Express, or one of Fastify, which has Node's inside. */
type GivenRequest = IncomingMessage | { readonly raw: IncomingMessage };

/** A response of Express, or one of Fastify. */
type GivenResponse = ServerResponse | { readonly raw: ServerResponse; hijack(): void };

/**
 * Request and response as Node has them. Written to directly, they are the same on Express and Fastify, and nothing that
 * the application does to its responses, such as wrapping results, changes them.
 */
export interface RawExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The parsed body, if the application parses bodies. */
  readonly body: unknown;
  /** The address of the client, as the application knows it: behind a proxy that it trusts, the one that this names. */
  readonly client: string;
}

export const rawExchange = (request: GivenRequest, response: GivenResponse): RawExchange => {
  const body: unknown = Reflect.get(request, 'body');
  const raw = 'raw' in request ? request.raw : request;
  const ip: unknown = Reflect.get(request, 'ip');
  const client = typeof ip === 'string' ? ip : (raw.socket.remoteAddress ?? 'unknown');
  if (!('hijack' in response)) return { request: raw, response, body, client };
  response.hijack();
  return { request: raw, response: response.raw, body, client };
};

const EVERYWHERE = {
  'cache-control': 'no-store, no-transform',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** Sets status and headers, which overrides what the application has set before. */
export const writeHead = (
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
): void => {
  for (const [name, value] of Object.entries({ ...EVERYWHERE, ...headers })) response.setHeader(name, value);
  response.writeHead(status);
};

export const sendJson = (response: ServerResponse, status: number, value: unknown): void => {
  writeHead(response, status, { 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
};

/** A client that has read nothing for this time is disconnected, ms. Its page connects again if it is alive. */
const STALLED_MS = 30_000;

/** After this time a page connects again, ms. */
const RECONNECT_MS = 2000;

/** A stream ends after this time, ms. Its page connects again at once, so the guard decides anew. */
const LIFE_MS = 300_000;

/**
 * The events of one page, as Server-Sent Events. At most one event waits for a client that does not read: those that
 * come meanwhile are left out, because each has the whole state.
 */
export class EventStream {
  /** When the client stopped reading, on the clock; `undefined` while it reads. */
  private fullSince: number | undefined;

  /** @param onEnd Called once when the client is gone, or was disconnected. */
  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Pick<Scheduler, 'now' | 'schedule'>,
    onEnd: (stream: EventStream) => void,
  ) {
    const life = runOutsideContexts(() => clock.schedule(LIFE_MS, () => this.renew()));
    response.once('close', () => {
      life.cancel();
      onEnd(this);
    });
    // An error, such as a reset, is followed by `close`.
    response.on('error', () => response.destroy());
    response.on('drain', () => {
      this.fullSince = undefined;
    });
    writeHead(response, 200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    this.write(`retry: ${RECONNECT_MS}\n\n`);
  }

  /** @param data One line of text. */
  send(event: string, data: string): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    if (this.fullSince === undefined) this.write(`event: ${event}\ndata: ${data}\n\n`);
    else if (this.clock.now() - this.fullSince >= STALLED_MS) this.response.destroy();
  }

  /** Ends the response, or the connection of a client that does not read. */
  close(): void {
    if (this.fullSince === undefined) this.response.end();
    else this.response.destroy();
  }

  /** Ends the response, and tells the page to ask for another. */
  private renew(): void {
    this.send('renew', 'now');
    this.close();
  }

  private write(text: string): void {
    if (!this.response.write(text)) this.fullSince = this.clock.now();
  }
}
