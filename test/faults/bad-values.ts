import fc from 'fast-check';
import { formatValue as described } from '../../lib/validation/format-value.js';

/** A value in a box. fast-check inspects generated values, and some of these must not be inspected. */
export class Given {
  constructor(readonly value: unknown) {}

  [fc.toStringMethod](): string {
    return described(this.value);
  }
}

const given = (...values: unknown[]): fc.Arbitrary<Given> =>
  fc.constantFrom(...values.map((value) => new Given(value)));
const boxed = (values: fc.Arbitrary<unknown>): fc.Arbitrary<Given> => values.map((value) => new Given(value));

const throwing = (): never => {
  throw new Error('a trap or getter ran');
};

/** A proxy of which every trap throws. */
export const hostileProxy = (target: object = {}): object =>
  new Proxy(target, {
    get: throwing,
    has: throwing,
    ownKeys: throwing,
    getPrototypeOf: throwing,
    getOwnPropertyDescriptor: throwing,
  });

export const revokedProxy = (target: object = {}): object => {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
};

const cyclic = (): object => {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
};

/** Values that are neither numbers nor text, and must not be converted to them. */
const nonsense: readonly unknown[] = [
  null,
  true,
  false,
  [],
  [5],
  ['10s'],
  {},
  { valueOf: () => 1000, toString: () => '1000' },
  { [Symbol.toPrimitive]: () => 1000 },
  Object(1000),
  Object('10s'),
  new Date(1000),
  1n,
  1000n,
  Symbol('1000'),
  () => 1000,
  throwing,
  cyclic(),
  hostileProxy(),
  hostileProxy([]),
  revokedProxy(),
  revokedProxy([]),
  Buffer.from('1000'),
  new Map(),
];

const badDurationText = [
  '',
  ' ',
  '5',
  '0',
  ' 5',
  '5 ',
  '10abc',
  '1e3',
  '1e3ms',
  '0x10',
  '-1s',
  '+1s',
  '1.5s',
  '1_000',
  '1S',
  '1 s',
  's',
  'ms',
  'Infinity',
  'NaN',
  '١s',
  '1s\n',
  `${2 ** 53}ms`,
  '999999999999999999999h',
  '9'.repeat(10_000),
];

const badNumbers = [
  NaN,
  -Infinity,
  -1,
  -0.5,
  0.5,
  1000.5,
  1e21,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  Number.MIN_VALUE,
  -(2 ** 31),
];

/** Values that are invalid for every duration, whatever its range. */
export const badDuration = fc.oneof(
  given(...nonsense),
  given(...badDurationText),
  given(...badNumbers),
  boxed(fc.double({ noInteger: true, noDefaultInfinity: true })),
  boxed(fc.integer({ max: -1 })),
  boxed(fc.maxSafeNat().map((excess) => 2 ** 31 + excess)),
  boxed(fc.string().filter((text) => !/^\d+(ms|s|m|h)$/.test(text))),
  boxed(fc.anything().filter((value) => !['number', 'string', 'undefined'].includes(typeof value))),
);

/** Values that are invalid for a lease, which is at least 10 ms and has an end. */
export const badLease = fc.oneof(badDuration, given(0, -0, 1, 9, '0ms', '9ms', '0h', Infinity));

export const badName = fc.oneof(
  given(undefined, ...nonsense),
  given(7, NaN, ['a', 'b'], Buffer.from('order'), Object('order')),
  given('', '\0', 'a\r\nb', 'a\u007f', '\ud83d', 'x\ude00', '{', '}', '}{', '{}', 'a{}b', 'a}b{c}'),
  given('x'.repeat(513), 'é'.repeat(257), 'x'.repeat(10_000_000)),
  boxed(fc.anything().filter((value) => typeof value !== 'string')),
  // Text with a character that no name may contain, at any position.
  fc
    .tuple(fc.string(), fc.constantFrom('\0', '\n', '\u001f', '\u0085', '\ud800', '\udfff'), fc.string())
    .map(([before, bad, after]) => new Given(`${before}${bad}${after}`)),
);

export const noFunction = fc.oneof(
  given(undefined, null, {}, 'fn', 7, hostileProxy(), revokedProxy()),
  boxed(fc.anything().filter((value) => typeof value !== 'function')),
);

/** Values that are no options object, cannot be read, or have an unknown option. */
export const badOptions = fc.oneof(
  given(null, true, 0, 1, '', '10s', 1n, Symbol('options'), [], [{}], () => ({}), throwing),
  given(
    hostileProxy(),
    hostileProxy([]),
    revokedProxy(),
    revokedProxy([]),
    cyclic(),
    Object.freeze({ lease: -1 }),
    Object.freeze({ unknown: true }),
    Object.defineProperty({}, 'lease', { enumerable: true, get: throwing }),
    Object.defineProperty({}, 'wait', { enumerable: true, get: throwing }),
    Object.defineProperty({}, 'unknown', { enumerable: true, get: throwing }),
    JSON.parse('{"__proto__": {"lease": 1000}}'),
    { constructor: 1 },
    { LEASE: 1000 },
    { lease: 1000, leaseTime: 1000 },
    { onConflict: 'sometimes' },
    { signal: null },
    { signal: {} },
    { signal: new AbortController() },
    { signal: new EventTarget() },
    { signal: Object.create(AbortSignal.prototype) as unknown },
    { signal: hostileProxy() },
    { signal: revokedProxy() },
    { signal: hostileProxy(new AbortController().signal) },
  ),
  boxed(
    fc
      .dictionary(fc.string(), fc.anything(), { minKeys: 1 })
      .filter((options) => Object.keys(options).some((key) => !['lease', 'wait', 'signal'].includes(key))),
  ),
);
