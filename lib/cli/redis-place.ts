import { readFileSync } from 'node:fs';
import type { ConnectionInput } from '../backend/redis-target.js';
import { parseConnectionUrl } from '../backend/connection/connection-url.js';
import { LockOptionsError, messageOf } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import { CommandFailure } from './command-failure.js';
import { ExitCode } from './exit-code.js';

/** The options of every command that say where Redis is. */
export interface RedisPlace {
  readonly url?: string;
  readonly sentinel?: string;
  readonly master?: string;
  readonly sentinelUser?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly tls?: boolean;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly keyPrefix?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface TlsFiles {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** User, password and TLS of every server. */
interface Login {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: TlsFiles;
}

interface Address {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_URL = 'redis://127.0.0.1:6379';
const REDIS_PORT = 6379;
const SENTINEL_PORT = 26_379;

const usage = (message: string): CommandFailure => new CommandFailure(message, ExitCode.usage);

/**
 * Where the options and the environment say that Redis is.
 * @throws CommandFailure that never shows a password.
 */
export const connectionOf = (choice: RedisPlace, environment: Environment): ConnectionInput => {
  checkTogether(choice);
  const login = loginOf(choice, environment);
  if (choice.cluster !== undefined) {
    return { cluster: addressesIn(choice.cluster, '--cluster', REDIS_PORT), redisOptions: login };
  }
  if (choice.sentinel !== undefined) return sentinelsOf(choice, choice.sentinel, login, environment);
  return serverOf(choice, login, environment);
};

/** Whether neither the options nor the environment say where Redis is. */
export const isAtDefault = ({ url, sentinel, cluster }: RedisPlace, { REDIS_URL }: Environment): boolean =>
  [url, sentinel, cluster, REDIS_URL].every((place) => place === undefined);

const checkTogether = ({ url, sentinel, master, sentinelUser, cluster }: RedisPlace): void => {
  const places = Object.entries({ '--url': url, '--sentinel': sentinel, '--cluster': cluster });
  const [first, second] = places.filter(([, value]) => value !== undefined).map(([option]) => option);
  if (second !== undefined) throw usage(`${first} cannot be combined with ${second}; give one place of Redis`);
  if (sentinel !== undefined && master === undefined) {
    throw usage('--sentinel needs --master, the name that the Sentinels have for the master');
  }
  if (sentinel !== undefined) return;
  if (master !== undefined) throw usage('--master is for --sentinel, which is missing');
  if (sentinelUser !== undefined) throw usage('--sentinel-user is for --sentinel, which is missing');
};

const loginOf = ({ user, tls, ca, cert, key }: RedisPlace, { REDIS_PASSWORD }: Environment): Login => {
  const files = {
    ...(ca === undefined ? {} : { ca: contentOf(ca, '--ca') }),
    ...(cert === undefined ? {} : { cert: contentOf(cert, '--cert') }),
    ...(key === undefined ? {} : { key: contentOf(key, '--key') }),
  };
  return {
    ...(user === undefined ? {} : { username: user }),
    ...(isGiven(REDIS_PASSWORD) ? { password: REDIS_PASSWORD } : {}),
    ...(tls === true || Object.keys(files).length > 0 ? { tls: files } : {}),
  };
};

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

const contentOf = (path: string, option: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${option} cannot be read: ${messageOf(error)}`, ExitCode.configuration);
  }
};

/** `host:port,host`, with brackets around an IPv6 address. */
const addressesIn = (list: string, option: string, defaultPort: number): readonly Address[] =>
  list.split(',').map((text) => {
    const [, bracketed, plain, port = String(defaultPort)] =
      /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]/@]+))(?::(\d{1,5}))?$/i.exec(text.trim()) ?? [];
    const host = bracketed ?? plain;
    if (host !== undefined && Number(port) > 0 && Number(port) < 65_536) return { host, port: Number(port) };
    // Not shown if it may have a password in it.
    const what = text.includes('@') ? 'a URL' : formatValue(text);
    throw usage(`${option} must be a list such as host:${defaultPort},host:${defaultPort}, without ${what}`);
  });

const sentinelsOf = (
  { master = '', sentinelUser }: RedisPlace,
  list: string,
  login: Login,
  { REDIS_SENTINEL_PASSWORD }: Environment,
): ConnectionInput => ({
  sentinels: [...addressesIn(list, '--sentinel', SENTINEL_PORT)],
  name: master,
  ...login,
  ...(login.tls === undefined ? {} : { sentinelTLS: login.tls, enableTLSForSentinelMode: true }),
  ...(sentinelUser === undefined ? {} : { sentinelUsername: sentinelUser }),
  ...(isGiven(REDIS_SENTINEL_PASSWORD) ? { sentinelPassword: REDIS_SENTINEL_PASSWORD } : {}),
});

const serverOf = (
  { url }: RedisPlace,
  { username, password, tls }: Login,
  { REDIS_URL }: Environment,
): ConnectionInput => {
  const source = url === undefined && REDIS_URL !== undefined ? 'REDIS_URL' : '--url';
  const server = parsedUrl(url ?? REDIS_URL ?? DEFAULT_URL, source);
  if (username !== undefined && server.username !== undefined) {
    throw usage(`--user cannot be combined with the user in ${source}; give one of them`);
  }
  return {
    ...(username === undefined ? {} : { username }),
    // The URL goes before the environment.
    ...(password === undefined ? {} : { password }),
    ...server,
    ...(tls === undefined ? {} : { tls }),
  };
};

const parsedUrl = (text: string, source: string): ReturnType<typeof parseConnectionUrl> => {
  try {
    return parseConnectionUrl(text);
  } catch (error) {
    if (!(error instanceof LockOptionsError)) throw error;
    throw new CommandFailure(`${source}: ${error.message}`, ExitCode.configuration);
  }
};
