import { describeProblem, explain } from '../../lib/backend/connection/connection-problem.js';
import { parseConnectionUrl } from '../../lib/backend/connection/connection-url.js';
import { type Endpoint, endpointOf as endpointAt } from '../../lib/backend/connection/target.js';
import { LockOptionsError } from '../../lib/errors.js';
import { thrownBy } from '../kit/caught.js';
import { type ServerInput, serverTarget } from '../../lib/backend/redis-target.js';

const endpointOf = (input: ServerInput): Endpoint => endpointAt(serverTarget(input).options);
const endpoint = endpointOf('redis://joe:secret@redis:6379/3');

const error = (message: string, code?: string): Error =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

const text = (problem: unknown, wasReady = false, input = endpoint): string =>
  describeProblem(input.server, explain(problem, input, wasReady));

describe('D34: a connection problem in words', () => {
  it.each<[problem: Error | undefined, expected: string]>([
    [
      error('getaddrinfo ENOTFOUND redis', 'ENOTFOUND'),
      'Redis at redis:6379 cannot be reached: getaddrinfo ENOTFOUND redis; check the host',
    ],
    [
      error('connect ETIMEDOUT', 'ETIMEDOUT'),
      'Redis at redis:6379 cannot be reached: connect ETIMEDOUT; check host and port, and whether a firewall blocks it',
    ],
    [
      error('ERR max number of clients reached'),
      'Redis at redis:6379 cannot be used: it accepts no more connections (ERR max number of clients reached); raise maxclients there',
    ],
    [
      error('DENIED Redis is running in protected mode because …'),
      'Redis at redis:6379 cannot be used: it runs in protected mode, without a password, and accepts only connections from its own machine (DENIED); set a password there, and use it here',
    ],
    [
      error("NOPERM this user has no permissions to run the 'time' command"),
      `Redis at redis:6379 cannot be used: its user "joe" lacks a right (NOPERM this user has no permissions to run the 'time' command); grant it; npx nest-redis-lock doctor prints all that are needed`,
    ],
    [
      error("ERR unknown command 'select', with args beginning with: '3'"),
      'Redis at redis:6379 cannot be used: it does not know SELECT; if it is a Sentinel, give { sentinels: [{ host, port }], name }; do not rename or disable commands that locks need',
    ],
    [
      error('ERR SELECT is not allowed in cluster mode'),
      'Redis at redis:6379 cannot be used: it is part of a cluster (ERR SELECT is not allowed in cluster mode); give the cluster: { cluster: [nodes] }',
    ],
    [
      error("Socket timeout. Expecting data, but didn't receive any in 2000ms."),
      'Redis at redis:6379 cannot be reached: it has not answered for 2000 ms',
    ],
    [
      error('Protocol error, got "H" as reply type byte. Please report this.'),
      'Redis at redis:6379 cannot be used: the server there does not speak the Redis protocol; give host and port of Redis, not of HTTP or TLS',
    ],
    [
      undefined,
      'Redis at redis:6379 cannot be reached: it has not answered yet; check host and port, and whether it is stopped or behind a firewall',
    ],
  ])('%s', (problem, expected) => {
    expect(text(problem)).toBe(expected);
  });

  it('of a connection that worked before does not ask to check the options', () => {
    expect(text(error('connect ECONNREFUSED 127.0.0.1:6379', 'ECONNREFUSED'), true)).toBe(
      'Redis at redis:6379 cannot be reached: connect ECONNREFUSED 127.0.0.1:6379',
    );
    expect(text(error('read ECONNRESET', 'ECONNRESET'), true)).toBe(
      'Redis at redis:6379 cannot be reached: read ECONNRESET',
    );
  });

  it.each([
    ['CERT_HAS_EXPIRED', 'renew it, or correct the clocks'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'connect by a name that it is valid for, or give that name as tls.servername'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'give the certificate of the authority that issued it as tls.ca'],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'give tls.cert and tls.key that it trusts'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'without TLS give redis://redis:6379, and no tls'],
  ])('%s: %s', (code, remedy) => {
    const secure = endpointOf('rediss://redis:6379');
    expect(explain(error('…', code), secure, false)).toMatchObject({ remedy, isReached: true });
  });

  it('names an IPv6 address as a URL does', () => {
    expect(endpointOf('redis://[::1]:6380').server).toBe('[::1]:6380');
    expect(endpointOf({ host: '::1' }).server).toBe('[::1]:6379');
  });

  it('does not show a user without a password, which may be a password itself', () => {
    expect(endpointOf('redis://secret@redis:6379').user).toBeUndefined();
    expect(endpointOf('redis://:secret@redis:6379').user).toBe('default');
  });
});

describe('D34: a text that is no URL of Redis', () => {
  it.each([
    ['', /^connection is an empty string; is its environment variable set\?/],
    ['redis:6379', /^connection has no protocol; give redis:\/\/redis:6379, or rediss:\/\/ with TLS$/],
    ['127.0.0.1:6379/2', /^connection has no protocol; give redis:\/\/127.0.0.1:6379\/2,/],
    ['http://redis:6379', /^connection has the protocol http:\/\/; give redis:\/\//],
    ['redis://joe:sec/ret@redis:6379', /^connection is not a valid URL; percent-encode user and password/],
    ['joe:secret@redis:6379', /^connection must be a redis:\/\/ or rediss:\/\/ URL/],
    ['secret', /^connection must be a redis:\/\/ or rediss:\/\/ URL/],
  ])('%j', (url, expected) => {
    const { message } = thrownBy(() => parseConnectionUrl(url), LockOptionsError);
    expect(message).toMatch(expected);
    expect(message).not.toContain('sec');
  });
});
