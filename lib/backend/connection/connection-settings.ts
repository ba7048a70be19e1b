import type { RedisOptions } from 'ioredis';
import { reconnectDelay, SLOW_ATTEMPT_MS } from './connect-attempts.js';

const SENTINEL_RECONNECT_MS = 10_000;
const SENTINEL_COMMAND_MS = 700;
const LONGEST_WAIT_MS = 40_000;

/** Purpose of a connection. */
export type Role = 'commands' | 'subscriber' | 'replication';

/**
 * Settings that give each command a single effect and bound every wait. They override the user's, which must not decide
 * the safety of a lock.
 */
export const connectionSettings = (role: Role, commandTimeout: number): RedisOptions => ({
  connectionName: `nest-redis-lock:${role}`,
  keyPrefix: '',
  lazyConnect: true,
  // Rejects commands in flight as soon as the connection closes; any other value sends them again or never settles
  // them.
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  // No command may run after we gave up on it.
  enableOfflineQueue: false,
  enableAutoPipelining: false,
  // ioredis subscribes again without a catch: one revoked permission there would end the process.
  autoResubscribe: false,
  enableReadyCheck: true,
  connectTimeout: SLOW_ATTEMPT_MS,
  disconnectTimeout: 200,
  // Closes a frozen or half-open socket; but a WAIT may take long. Each attempt to connect sets its own.
  socketTimeout: longestSilence(role, commandTimeout),
  keepAlive: 5000,
  // A server that loads its data is asked again this soon, not after the seconds that it thinks it needs.
  maxLoadingRetryTime: 250,
  stringNumbers: false,
  // For Sentinels, if there are any: retried for ever, each with a short time-out, and subscribed to for fail-overs.
  failoverDetector: true,
  sentinelCommandTimeout: SENTINEL_COMMAND_MS,
  sentinelRetryStrategy: (attempts) => reconnectDelay(Math.min(attempts, 2)),
  // Rarely: ioredis prints each of these failures, and emits no event for them.
  sentinelReconnectStrategy: () => SENTINEL_RECONNECT_MS,
});

/** Milliseconds for which a server may leave a command unanswered before the connection is dropped. */
export const longestSilence = (role: Role, commandTimeout: number): number =>
  role === 'replication' ? LONGEST_WAIT_MS : Math.max(1500, 1.5 * commandTimeout);
