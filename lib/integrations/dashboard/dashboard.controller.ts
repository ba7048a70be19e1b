import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Controller, Get, Inject, Post, Req, Res, type Type, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { LockNameError, LockOptionsError, messageOf } from '../../errors.js';
import { Dashboard } from './dashboard.js';
import { EventStream, type RawExchange, rawExchange, sendJson, writeHead } from './event-stream.js';
import type { DashboardGuard } from './lock-dashboard.options.js';
import { PAGE } from './page.generated.js';

/** Cookie and header with the token of a page. A page of another site can neither read the one nor send the other. */
const COOKIE = 'lock-dashboard';
const TOKEN_HEADER = 'x-lock-dashboard-token';

const TOKEN = /^[\w-]{43}$/;

/**
 * Whether a page of this site sent the request, or no page at all: a browser says which with Sec-Fetch-Site, and older
 * browsers, and all without TLS, with Origin. Scripts cannot set either.
 */
const isSameOrigin = ({ headers }: IncomingMessage): boolean => {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
};

/** Why the request may not change anything, if so. */
export const refusalOf = (request: IncomingMessage): string | undefined => {
  const { headers } = request;
  const isFromBrowser = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  if (!isFromBrowser || headers['sec-fetch-site'] === 'none' || !isSameOrigin(request)) {
    return 'Only the page of this dashboard can release locks.';
  }
  const expected = tokenOf(request);
  const given = headers[TOKEN_HEADER];
  if (expected !== undefined && typeof given === 'string' && isEqual(given, expected)) return undefined;
  return 'This page is out of date. Reload it and try again.';
};

/** The token of the browser that sent the request: that of its cookie, or a new one. All its pages share it. */
const tokenFor = (request: IncomingMessage): string => tokenOf(request) ?? randomBytes(32).toString('base64url');

/** The header `Set-Cookie` for a token. Without `Secure`, because the application may be served without TLS. */
const cookieFor = (token: string): string => `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict`;

const tokenOf = ({ headers }: IncomingMessage): string | undefined => {
  for (const cookie of (headers.cookie ?? '').split(';')) {
    const [name, value = ''] = cookie.trim().split('=', 2);
    if (name === COOKIE && TOKEN.test(value)) return value;
  }
  return undefined;
};

const isEqual = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Only what the page brings with it runs, known by its hash; it connects to where it came from, and nothing frames it. */
const POLICY = [
  "default-src 'none'",
  `script-src '${PAGE.scriptHash}'`,
  `style-src '${PAGE.styleHash}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Requests and responses of Express or Fastify. Nest reads the types of parameters, so these are not types of either. */
type Request = IncomingMessage;
type Response = ServerResponse;

/**
 * The class of the controller at a path. Nest reads path and guards from the class, so each module has one of its own.
 * It has no version, so that its path is the same in every application.
 */
export const createDashboardController = (path: string, guards: readonly DashboardGuard[]): Type<unknown> => {
  @Controller({ path, version: VERSION_NEUTRAL })
  @UseGuards(...guards)
  class LockDashboardController {
    constructor(@Inject(Dashboard) private readonly dashboard: Dashboard) {}

    @Get()
    page(@Req() request: unknown, @Res() response: unknown): void {
      sendPage(exchangeOf(request, response));
    }

    @Get('snapshot')
    snapshot(@Req() request: unknown, @Res() response: unknown): Promise<void> {
      return sendSnapshot(this.dashboard, exchangeOf(request, response));
    }

    @Get('events')
    events(@Req() request: unknown, @Res() response: unknown): void {
      openStream(this.dashboard, exchangeOf(request, response));
    }

    @Post('release')
    release(@Req() request: unknown, @Res() response: unknown): Promise<void> {
      return release(this.dashboard, exchangeOf(request, response));
    }
  }
  return LockDashboardController;
};

const exchangeOf = (request: unknown, response: unknown): RawExchange =>
  rawExchange(request as Request, response as Response);

const sendPage = ({ request, response }: RawExchange): void => {
  const token = tokenFor(request);
  // Added to the cookies of the application, not in their place.
  response.appendHeader('set-cookie', cookieFor(token));
  writeHead(response, 200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  });
  response.end(PAGE.html.replace(PAGE.tokenMark, token));
};

const refuse = (response: ServerResponse, status: number, message: string): void =>
  sendJson(response, status, { message });

const OTHER_SITE = 'Pages of other sites cannot read this.';

const sendSnapshot = async (dashboard: Dashboard, { request, response }: RawExchange): Promise<void> => {
  if (isSameOrigin(request)) sendJson(response, 200, await dashboard.feed.snapshot());
  else refuse(response, 403, OTHER_SITE);
};

const openStream = ({ feed, clock }: Dashboard, { request, response }: RawExchange): void => {
  if (!isSameOrigin(request)) refuse(response, 403, OTHER_SITE);
  // Routers answer HEAD with the handler of GET, and this one would not end.
  else if (request.method === 'HEAD') response.end();
  else if (!feed.isOpen) refuse(response, 503, 'Too many pages are open, or the application shuts down.');
  else feed.add(new EventStream(response, clock, (stream) => feed.remove(stream)));
};

const release = async (dashboard: Dashboard, { request, response, body, client }: RawExchange): Promise<void> => {
  const refusal = refusalOf(request);
  if (refusal !== undefined) return refuse(response, 403, refusal);
  if (!isReleaseRequest(body)) return refuse(response, 400, 'The body must be JSON with the texts name and owner.');
  try {
    const released = await dashboard.release(body.name, body.owner, client);
    return sendJson(response, 200, { released });
  } catch (error) {
    const isInvalid = error instanceof LockNameError || error instanceof LockOptionsError;
    return refuse(response, isInvalid ? 400 : 503, messageOf(error));
  }
};

const isReleaseRequest = (body: unknown): body is { readonly name: string; readonly owner: string } =>
  typeof body === 'object' &&
  body !== null &&
  typeof Reflect.get(body, 'name') === 'string' &&
  typeof Reflect.get(body, 'owner') === 'string';
