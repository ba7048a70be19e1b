/** What one process of the shop has to know. */
export interface ShopSettings {
  /** Whether orders for one warehouse wait for each other. */
  readonly locking: boolean;
  /** Where stock, orders and locks live. Absent: in this process. */
  readonly redisUrl: string | undefined;
  /** How long a payment takes. */
  readonly paymentMs: number;
  /** 0 takes a free one. */
  readonly port: number;
  /** Tells the processes of one shop apart in their answers. */
  readonly processNumber: number;
}

export class SettingsError extends Error {}

/** @throws SettingsError naming the variable and its value. */
export function readSettings(env: NodeJS.ProcessEnv): ShopSettings {
  return {
    locking: onOrOff(env, 'LOCKING', 'on'),
    redisUrl: redisUrl(env),
    paymentMs: wholeNumber(env, 'PAYMENT_MS', 5, 60_000),
    port: wholeNumber(env, 'PORT', 3000, 65_535),
    processNumber: wholeNumber(env, 'PROCESS_NUMBER', 1, 1000),
  };
}

/** The same settings as `readSettings` reads them, for a process to be started. */
export function writeSettings(settings: ShopSettings): NodeJS.ProcessEnv {
  return {
    LOCKING: settings.locking ? 'on' : 'off',
    REDIS_URL: settings.redisUrl ?? '',
    PAYMENT_MS: String(settings.paymentMs),
    PORT: String(settings.port),
    PROCESS_NUMBER: String(settings.processNumber),
  };
}

function onOrOff(env: NodeJS.ProcessEnv, name: string, fallback: 'on' | 'off'): boolean {
  const value = env[name] || fallback;
  if (value === 'on' || value === 'off') return value === 'on';
  throw new SettingsError(`${name} must be "on" or "off", not "${value}".`);
}

function wholeNumber(env: NodeJS.ProcessEnv, name: string, fallback: number, max: number): number {
  const value = env[name] || String(fallback);
  if (/^\d+$/.test(value) && Number(value) <= max) return Number(value);
  throw new SettingsError(`${name} must be a whole number from 0 to ${max}, not "${value}".`);
}

/** Never shows the value: it may carry a password. */
function redisUrl(env: NodeJS.ProcessEnv): string | undefined {
  const value = env['REDIS_URL'] || undefined;
  if (value === undefined || (/^rediss?:\/\//.test(value) && URL.canParse(value))) return value;
  throw new SettingsError('REDIS_URL must be a redis:// or rediss:// URL.');
}
