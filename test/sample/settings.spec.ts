import { CommandLineError, readCommandLine } from '../../sample/shop/command-line.js';
import { readSettings, SettingsError, type ShopSettings, writeSettings } from '../../sample/shop/shop.settings.js';

describe('The command line of the sample', () => {
  it('is empty, or says --once', () => {
    expect(readCommandLine([])).toEqual({ once: false });
    expect(readCommandLine(['--once'])).toEqual({ once: true });
  });

  it('is refused, naming what is unknown', () => {
    for (const args of [['--twice'], ['--once', 'now']]) expect(() => readCommandLine(args)).toThrow(CommandLineError);
    expect(() => readCommandLine(['--once', '--twice'])).toThrow("'--twice'");
  });
});

describe('The settings of the shop', () => {
  const defaults: ShopSettings = {
    locking: 'fair',
    redisUrl: undefined,
    lockDriver: undefined,
    databaseUrl: undefined,
    keyPrefix: 'nest-redis-lock-sample:',
    paymentMs: 5,
    port: 3000,
    processes: 1,
    processNumber: 1,
  };

  it('are fair locks, port 3000 and a payment of 5 ms, in one process and in memory, unless said otherwise', () => {
    expect(readSettings({})).toEqual(defaults);
  });

  it('arrive in a process as they were sent', () => {
    const settings: ShopSettings = {
      locking: 'off',
      redisUrl: 'redis://127.0.0.1:7000',
      lockDriver: 'node-redis',
      databaseUrl: 'postgres://127.0.0.1:7001/shop',
      keyPrefix: 'of-this-run:',
      paymentMs: 0,
      port: 0,
      processes: 3,
      processNumber: 3,
    };
    expect(readSettings(writeSettings(settings))).toEqual(settings);
    expect(readSettings(writeSettings(defaults))).toEqual(defaults);
  });

  it.each([
    ['LOCKING', 'on'],
    ['LOCK_DRIVER', 'redis'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PAYMENT_MS', '1.5'],
  ])('do not take %s=%s, and say so', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError);
    expect(() => readSettings({ [name]: value })).toThrow(`${name} must be`);
  });

  it.each([
    ['REDIS_URL', 'redis:// or rediss://'],
    ['DATABASE_URL', 'postgres:// or postgresql://'],
  ])('do not take a %s that is none, and do not repeat it', (name, protocols) => {
    expect(() => readSettings({ [name]: 'http://user:secret@host' })).toThrow(`${name} must be a ${protocols} URL.`);
  });
});
