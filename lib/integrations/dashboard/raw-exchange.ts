import type { IncomingMessage, ServerResponse } from 'node:http';

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
