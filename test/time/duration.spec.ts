import { LockOptionsError } from '../../lib/errors.js';
import { parseDuration, parseLease, parseWait } from '../../lib/time/duration.js';
import { thrownBy } from '../kit/caught.js';

const neverADuration: readonly unknown[] = [
  NaN,
  -Infinity,
  -1,
  0.5,
  1e21,
  2 ** 53,
  2 ** 63,
  2 ** 31,
  '10abc',
  '',
  ' 5',
  '5',
  '5s ',
  '5 s',
  '5s\n',
  '1e3',
  '1e3s',
  '0x10',
  '0x10s',
  '1.5s',
  '-5s',
  '+5s',
  '5S',
  '٥s',
  '1d',
  'Infinity',
  'Infinityms',
  '2147483648ms',
  `${'9'.repeat(400)}h`,
  null,
  undefined,
  true,
  [],
  [5],
  ['5s'],
  {},
  { valueOf: () => 50 },
  new Date(50),
  1n,
  Symbol('5s'),
  () => 50,
];

describe('A duration', () => {
  it.each([
    [10, 10],
    [2 ** 31 - 1, 2 ** 31 - 1],
    ['10ms', 10],
    ['3s', 3_000],
    ['30s', 30_000],
    ['5m', 300_000],
    ['24h', 86_400_000],
  ])('of %p is %p ms', (value, ms) => {
    expect(parseLease(value, 'lease')).toBe(ms);
    expect(parseWait(value, 'wait')).toBe(ms);
  });

  it('NV-05: is refused as lease or wait, naming option and value, when it is anything else', () => {
    for (const value of neverADuration) {
      for (const [parse, option] of [[parseLease, 'lease'] as const, [parseWait, 'wait'] as const]) {
        const error = thrownBy(() => parse(value, option), LockOptionsError);
        expect(error).toMatchObject({ code: 'LOCK_OPTIONS', details: { option } });
        expect(Object.is(error.details['value'], value)).toBe(true);
        expect(error.message).toMatch(new RegExp(`^${option} must be `));
      }
    }
  });

  it('NV-06: of 900 719 925 474 099 ms is refused as a lease', () => {
    expect(() => parseLease(900_719_925_474_099, 'lease')).toThrow('900719925474099');
  });

  it('is at least 10 ms as a lease, and may be 0 or Infinity as a wait', () => {
    for (const value of [0, -0, 9, '9ms', '0s', Infinity]) expect(() => parseLease(value, 'lease')).toThrow('lease');
    expect(parseWait(0, 'wait')).toBe(0);
    expect(parseWait(-0, 'wait')).toBe(0);
    expect(parseWait('0s', 'wait')).toBe(0);
    expect(parseWait(Infinity, 'wait')).toBe(Infinity);
  });

  it('has the range that the option gives it, and the message says which', () => {
    const range = { min: 100, max: 5_000 };
    expect(parseDuration('5s', 'renewedLease', range)).toBe(5_000);
    expect(() => parseDuration('6s', 'renewedLease', range)).toThrow(
      'renewedLease must be an integer number of milliseconds from 100 to 5000 or a string such as "500ms", "30s", ' +
        '"5m" or "1h" in that range, but it was "6s"',
    );
    expect(() => parseDuration(Infinity, 'renewedLease', range)).toThrow('Infinity');
  });
});
