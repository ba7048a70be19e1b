import type { ServerOptions } from '../driver/server-options.js';
import { AS_IF_UNSET, missingValueIn } from '../../validation/missing-value.js';
import { invalidConnection } from './invalid-connection.js';

const madeOf = (missing: string): string =>
  `is a URL with "${missing}" in it${AS_IF_UNSET}; give all its parts, such as redis://host:6379/0`;

const databaseOf = (pathname: string): number => {
  const database = /^\/?(\d{0,4})$/.exec(pathname)?.[1];
  const missing = missingValueIn(pathname);
  if (missing !== undefined) throw invalidConnection(madeOf(missing));
  if (database === undefined)
    throw invalidConnection('must be a URL whose path is a database number, such as redis://host:6379/0');
  return Number(database);
};

/**
 * The options of a URL. Parsed here and not by the client library, which may let the query of a URL override every other
 * option, as text.
 * @throws LockOptionsError
 */
export const parseConnectionUrl = (text: string): ServerOptions => {
  if (/^\/./.test(text)) return { path: text };
  const { protocol, hostname, port, pathname, search, username, password } = parse(text);
  if (search !== '') throw invalidConnection('must be a URL without a query; give further options as an object');
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 6379 : Number(port),
    db: databaseOf(pathname),
    ...(username === '' ? {} : { username: decoded(username) }),
    ...(password === '' ? {} : { password: decoded(password) }),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
  };
};

const parse = (text: string): URL => {
  const url = /^rediss?:\/\/./.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname) return url;
  throw invalidConnection(mistakeIn(text));
};

/** The likely mistake. Only text that looks like host and port is shown. */
const mistakeIn = (text: string): string => {
  if (text.trim() === '') return 'is an empty string; is its environment variable set? Give a URL: redis://host:6379';
  if (/^[\w.-]+:\d{1,5}(\/\d*)?$/.test(text)) return `has no protocol; give redis://${text}, or rediss:// with TLS`;
  const [, protocol] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? [];
  if (protocol !== undefined && !/^rediss?$/.test(protocol)) {
    return `has the protocol ${protocol}://; give redis://, or rediss:// with TLS`;
  }
  const missing = missingValueIn(text);
  if (missing !== undefined) return madeOf(missing);
  if (protocol !== undefined) {
    return 'is not a valid URL; percent-encode user and password, and give a host: redis://user:password@host:6379';
  }
  return 'must be a redis:// or rediss:// URL, options or a client, not another string';
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidConnection('must be a URL whose user and password are percent-encoded; a bare "%" is "%25"');
  }
};
