import { getConfigToken, registerAs } from '@nestjs/config';
import type { DriverName } from 'nest-redis-lock/advanced';

/** The kind of lock that orders for one warehouse take. */
export type Locking = 'off' | 'unfair' | 'fair';

/** Settings of one process of the shop. */
export interface ShopSettings {
  readonly locking: Locking;
  /** The Redis of data and locks. Absent: both are in memory. */
  readonly redisUrl: string | undefined;
  /** The library that connects the locks to Redis. Absent: ioredis, which the data use. */
  readonly lockDriver: DriverName | undefined;
  /** PostgreSQL. Absent: no sales on account. */
  readonly databaseUrl: string | undefined;
  /** Prefix of all keys of this shop. */
  readonly keyPrefix: string;
  /** How long a payment takes. */
  readonly paymentMs: number;
  /** 0 selects a free port. */
  readonly port: number;
  /** How many processes the shop has. */
  readonly processes: number;
  /** The number of this process, from 1. */
  readonly processNumber: number;
}

const NAMESPACE = 'shop';

/** The injection token of the settings, which `ConfigService` has by `get('shop')`. */
export const SHOP_SETTINGS = getConfigToken(NAMESPACE);

/** The settings for `ConfigModule.forRoot({ load })`. They are read before, since they decide which modules there are. */
export const shopConfig = (settings: ShopSettings) => registerAs(NAMESPACE, () => settings);

export class SettingsError extends Error {}

/** @throws SettingsError naming the variable and its value. */
export function readSettings(env: NodeJS.ProcessEnv): ShopSettings {
  return {
    locking: locking(env),
    redisUrl: url(env, 'REDIS_URL', ['redis:', 'rediss:']),
    lockDriver: lockDriver(env),
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    keyPrefix: env['KEY_PREFIX'] || 'nest-redis-lock-sample:',
    paymentMs: wholeNumber(env, 'PAYMENT_MS', 5, 60_000),
    port: wholeNumber(env, 'PORT', 3000, 65_535),
    processes: wholeNumber(env, 'PROCESSES', 1, 1000),
    processNumber: wholeNumber(env, 'PROCESS_NUMBER', 1, 1000),
  };
}

/** The settings as environment variables, for a new process. */
export function writeSettings(settings: ShopSettings): NodeJS.ProcessEnv {
  return {
    LOCKING: settings.locking,
    REDIS_URL: settings.redisUrl ?? '',
    LOCK_DRIVER: settings.lockDriver ?? '',
    DATABASE_URL: settings.databaseUrl ?? '',
    KEY_PREFIX: settings.keyPrefix,
    PAYMENT_MS: String(settings.paymentMs),
    PORT: String(settings.port),
    PROCESSES: String(settings.processes),
    PROCESS_NUMBER: String(settings.processNumber),
  };
}

function locking(env: NodeJS.ProcessEnv): Locking {
  const value = env['LOCKING'] || 'fair';
  if (value === 'off' || value === 'unfair' || value === 'fair') return value;
  throw new SettingsError(`LOCKING must be "off", "unfair" or "fair", not "${value}".`);
}

function lockDriver(env: NodeJS.ProcessEnv): DriverName | undefined {
  const value = env['LOCK_DRIVER'] || undefined;
  if (value === undefined || value === 'ioredis' || value === 'node-redis') return value;
  throw new SettingsError(`LOCK_DRIVER must be "ioredis" or "node-redis", not "${value}".`);
}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number, max: number): number {
  const value = env[name] || String(fallback);
  if (/^\d+$/.test(value) && Number(value) <= max) return Number(value);
  throw new SettingsError(`${name} must be a whole number from 0 to ${max}, not "${value}".`);
}

/** Never shows the value: it may contain a password. */
function url(env: NodeJS.ProcessEnv, name: string, protocols: readonly string[]): string | undefined {
  const value = env[name] || undefined;
  if (value === undefined || (URL.canParse(value) && protocols.includes(new URL(value).protocol))) return value;
  throw new SettingsError(`${name} must be a ${protocols.map((protocol) => `${protocol}//`).join(' or ')} URL.`);
}
