import { inspect } from 'node:util';

import fc from 'fast-check';

import { formatValue as described } from '../../lib/validation/format-value.js';

class Order {
  id = 7;
  get total(): number {
    throw new Error('a getter ran');
  }
}

function throwing(): never {
  throw new Error('a trap ran');
}

const hostile: ProxyHandler<object> = {
  get: throwing,
  has: throwing,
  ownKeys: throwing,
  getPrototypeOf: throwing,
  getOwnPropertyDescriptor: throwing,
};

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

describe('A value in a message', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [NaN, 'NaN'],
    [-0, '-0'],
    [1e21, '1e+21'],
    [12n, '12n'],
    [10n ** 1_000_000n, 'bigint of more than 100 digits'],
    [true, 'true'],
    ['', '""'],
    ['say "hi"\\', '"say \\"hi\\"\\\\"'],
    ['a\r\nb\0\u007f\u0085\u2028\u202e😀\ud83d', '"a\\u000d\\u000ab\\u0000\\u007f\\u0085\\u2028\\u202e😀\\ud83d"'],
    [Symbol('a\nb'), 'Symbol(a\\u000ab)'],
    [function pay() {}, 'function pay'],
    [() => 1, 'function'],
    [[], 'array []'],
    [[5, 'x', {}, [1]], 'array [5, "x", object, array]'],
    [[1, 2, 3, 4, 5, 6], 'array [1, 2, 3, 4, 5, … 6 in all]'],
    [{}, 'object {}'],
    [Object.create(null), 'object {}'],
    [{ password: 'secret' }, 'object {password}'],
    [new Order(), 'object Order {id}'],
    [new Map(), 'object Map {}'],
    [new Date(0), 'object Date 1970-01-01T00:00:00.000Z'],
    [new Date(NaN), 'object Date (invalid)'],
    [new TypeError('no'), 'TypeError "no"'],
  ])('%# is one short line', (value, text) => {
    expect(described(value)).toBe(text);
  });

  it('is shown without running its code', () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(described(cyclic)).toBe('array [array]');
    expect(described(new Proxy({}, hostile))).toBe('object (proxy)');
    expect(described(new Proxy([], hostile))).toBe('object (proxy)');
    expect(described(new Proxy(throwing, hostile))).toBe('function (proxy)');
    expect(described([new Proxy({}, hostile)])).toBe('array [object]');
    expect(described(revoked([]))).toBe('object (proxy)');
    expect(described(Object.create(new Proxy({}, hostile)))).toBe('object');
    expect(described(Object.defineProperty([], '0', { get: throwing }))).toBe('array [undefined]');
    expect(described(Object.defineProperty(() => 1, 'name', { get: throwing }))).toBe('function');
    expect(described(Object.defineProperty(new Error('x'), 'message', { get: throwing }))).toBe('Error ""');
    expect(described({ toString: throwing, [Symbol.toPrimitive]: throwing, [inspect.custom]: throwing })).toBe(
      'object {toString}',
    );
  });

  it('has at most 120 characters, however large it is', () => {
    const start = performance.now();
    for (const large of ['x'.repeat(10_000_000), '\0'.repeat(10_000_000), '😀'.repeat(1_000_000)]) {
      expect(described(large).length).toBeLessThanOrEqual(120);
      expect(described(large)).toContain(`(${large.length} characters)`);
      expect(described({ [large]: 1 }).length).toBeLessThanOrEqual(120);
      expect(described([large, large]).length).toBeLessThanOrEqual(120);
      expect(described(Symbol(large)).length).toBeLessThanOrEqual(120);
    }
    expect(described(Array.from({ length: 1_000_000 }, () => 'x')).length).toBeLessThanOrEqual(120);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('is one printable, well-formed line of at most 120 characters for any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.string({ unit: 'binary', maxLength: 200 })), (value) => {
        const line = described(value);
        expect(line.length).toBeGreaterThan(0);
        expect(line.length).toBeLessThanOrEqual(120);
        expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
      }),
      { numRuns: 5_000 },
    );
  });
});
