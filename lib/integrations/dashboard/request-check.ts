import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Cookie and header with the token of a page. A page of another site can neither read the one nor send the other. */
const COOKIE = 'lock-dashboard';
export const TOKEN_HEADER = 'x-lock-dashboard-token';

const TOKEN = /^[\w-]{43}$/;

/**
 * Whether a page of this site sent the request, or no page at all: a browser says which with Sec-Fetch-Site, and older
 * browsers, and all without TLS, with Origin. Scripts cannot set either.
 */
export const isSameOrigin = ({ headers }: IncomingMessage): boolean => {
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
export const tokenFor = (request: IncomingMessage): string => tokenOf(request) ?? randomBytes(32).toString('base64url');

/** The header `Set-Cookie` for a token. Without `Secure`, because the application may be served without TLS. */
export const cookieFor = (token: string): string => `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict`;

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
