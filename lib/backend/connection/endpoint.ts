import { isRedisClient } from './redis-client.js';
import { hasSentinels, nodeAddress, type ServerInput } from './connection-input.js';
import { parseConnectionUrl } from './connection-url.js';

/** Target and user of a connection, as far as they may be shown: never with a password. */
export interface Endpoint {
  /** `host:port`, the path of a socket, or `master "name" of Sentinels`. */
  readonly server: string;
  /** The user that logs in. `undefined` without a login: a user without a password is hardly meant as one. */
  readonly user: string | undefined;
  readonly database: number;
  readonly isSecure: boolean;
  /** `host:port` of the Sentinels that are asked for the master. */
  readonly sentinels: readonly string[];
}

type RawOptions = Readonly<Record<string, unknown>>;

const optionsOf = (input: ServerInput): RawOptions =>
  Object.assign(
    {},
    typeof input === 'string' ? parseConnectionUrl(input) : isRedisClient(input) ? input.options : input,
  );

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const sentinelAddress = (sentinel: unknown): string => {
  const { host, port }: RawOptions = typeof sentinel === 'object' && sentinel !== null ? { ...sentinel } : {};
  return `${isText(host) ? host : '127.0.0.1'}:${Number(port ?? 26_379)}`;
};

export const endpointOf = (input: ServerInput): Endpoint => {
  const { username, password, db, tls, sentinels, name } = optionsOf(input);
  const isNamed = hasSentinels(input);
  return {
    server: isNamed ? `master "${String(name)}" of Sentinels` : nodeAddress(input),
    user: isText(password) ? (isText(username) ? username : 'default') : undefined,
    database: Number(db ?? 0),
    // `tls: true` is what ioredis makes of a rediss:// URL.
    isSecure: Boolean(tls),
    sentinels: isNamed && Array.isArray(sentinels) ? sentinels.map(sentinelAddress) : [],
  };
};
