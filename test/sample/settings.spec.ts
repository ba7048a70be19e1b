import { CommandLineError, readCommandLine } from '../../sample/command-line.js';
import { readSettings, SettingsError, writeSettings } from '../../sample/shop.settings.js';

describe('The command line of the sample', () => {
  it('is empty, or says --once', () => {
    expect(readCommandLine([])).toEqual({ once: false });
    expect(readCommandLine(['--once'])).toEqual({ once: true });
  });

  it('is refused, naming what is unknown', () => {
    for (const args of [['--twice'], ['--once', 'now']]) expect(() => readCommandLine(args)).toThrow(CommandLineError);
    expect(() => readCommandLine(['--once', '--twice'])).toThrow('"--twice"');
  });
});

describe('The settings of the shop', () => {
  it('are locks on, port 3000 and a payment of 5 ms, in memory, unless said otherwise', () => {
    const settings = { locking: true, redisUrl: undefined, paymentMs: 5, port: 3000, processNumber: 1 };
    expect(readSettings({})).toEqual(settings);
  });

  it('arrive in a process as they were sent', () => {
    const settings = { locking: false, redisUrl: 'redis://127.0.0.1:7000', paymentMs: 0, port: 0, processNumber: 3 };
    expect(readSettings(writeSettings(settings))).toEqual(settings);
    const inMemory = { ...settings, redisUrl: undefined };
    expect(readSettings(writeSettings(inMemory))).toEqual(inMemory);
  });

  it.each([
    ['LOCKING', 'yes'],
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PAYMENT_MS', '1.5'],
  ])('do not take %s=%s, and say so', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError);
    expect(() => readSettings({ [name]: value })).toThrow(`${name} must be`);
  });

  it('do not take a REDIS_URL that is none, and do not repeat it', () => {
    expect(() => readSettings({ REDIS_URL: 'http://user:secret@host' })).toThrow(
      'REDIS_URL must be a redis:// or rediss:// URL.',
    );
  });
});
