import type { RedisOptions } from 'ioredis';

const FASTEST_RECONNECT_MS = 50;
const SLOWEST_RECONNECT_MS = 1000;
const SENTINEL_RECONNECT_MS = 10_000;
const LONGEST_WAIT_MS = 40_000;

/** What a connection is for. */
export type Role = 'commands' | 'subscriber' | 'replication';

/**
 * What makes one command have one effect and every wait an end. The user's own choices must not decide the safety of a
 * lock, so these go over them.
 */
export const bindingSettings = (role: Role, commandTimeout: number): RedisOptions => ({
  connectionName: `nest-redis-lock:${role}`,
  keyPrefix: '',
  lazyConnect: true,
  // Rejects what is in flight at the moment of a close; any other value sends it again or never settles it.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // Nothing may run after we gave up on it.
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  // ioredis subscribes again without a catch: one revoked permission there would end the process.
  autoResubscribe: false,
  enableReadyCheck: true,
  connectTimeout: 2000,
  disconnectTimeout: 200,
  // Frees a frozen or half-open socket, also during the handshake; but a WAIT may take its time.
  socketTimeout: role === 'replication' ? LONGEST_WAIT_MS : Math.max(1500, 2 * commandTimeout),
  keepAlive: 5000,
  stringNumbers: false,
  // Sentinels, where there are such: tried for ever, none of them for long, and listened to for a fail-over.
  failoverDetector: true,
  sentinelCommandTimeout: 1000,
  sentinelRetryStrategy: (attempts) => reconnectDelay(attempts),
  // Seldom: ioredis prints each of these failures, and nobody else can hear of them.
  sentinelReconnectStrategy: () => SENTINEL_RECONNECT_MS,
});

/** Milliseconds to wait after `failures` connections in a row that came to nothing. */
export const reconnectDelay = (failures: number): number => {
  const cap = Math.min(SLOWEST_RECONNECT_MS, FASTEST_RECONNECT_MS * 2 ** Math.min(failures, 10));
  return Math.max(FASTEST_RECONNECT_MS, Math.random() * cap);
};
