import { isRedisClient } from './redis-client.js';
import type { ServerInput } from './connection-input.js';
import { optionsOfUrl } from './connection-url.js';

const DEFAULT_PORT = 6379;

const textOr = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value !== '' ? value : fallback;

/**
 * Where a connection leads, without user and password: the path of a socket, or `host:port`. Two connections with one
 * address lead to one server, whatever database they select there.
 */
export const nodeAddress = (input: ServerInput): string => {
  const options: object =
    typeof input === 'string' ? optionsOfUrl(input) : isRedisClient(input) ? input.options : input;
  const { path, host, port } = options as Readonly<Record<string, unknown>>;
  if (typeof path === 'string' && path !== '') return path;
  const name = textOr(host, 'localhost').toLowerCase();
  // As in a URL, where an IPv6 address has brackets.
  const shown = name === 'localhost' ? '127.0.0.1' : name.includes(':') ? `[${name}]` : name;
  return `${shown}:${Number(port ?? DEFAULT_PORT)}`;
};
