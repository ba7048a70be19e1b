import { runInNewContext } from 'node:vm';

import fc from 'fast-check';

import { boundaryIn, encoder, textOf } from '../../lib/keys/key-encoding.js';

const encode = encoder(new Set());

describe('Text in a name', () => {
  it.each([
    ['AZaz09._~-', 'AZaz09._~-'],
    ['Ærøskøbing', 'Ærøskøbing'],
    ['Москва', 'Москва'],
    ['日本語カナ한국', '日本語カナ한국'],
    ['a:b', 'a%3Ab'],
    ['{hot}', '%7Bhot%7D'],
    ['<0>', '%3C0%3E'],
    ['100%', '100%25'],
    ['a b\t\r\n\0', 'a%20b%09%0D%0A%00'],
    ['a@b.c/d?e#f', 'a%40b.c%2Fd%3Fe%23f'],
    ['$&$`', '%24%26%24%60'],
    ['×÷', '%C3%97%C3%B7'],
    ['e\u0301', 'e%CC%81'],
    ['\u00a0\u2028\u202e\u200b', '%C2%A0%E2%80%A8%E2%80%AE%E2%80%8B'],
    ['😀', '%F0%9F%98%80'],
  ])('%j is written %s', (text, encoded) => {
    expect(encode(text)).toBe(encoded);
    expect(decodeURIComponent(encoded)).toBe(text);
  });

  it('is encoded if it contains a separator of the template', () => {
    expect(encoder(new Set(['-']))('a-b._~')).toBe('a%2Db._~');
    expect(encoder(new Set(['.', '_', '~']))('a-b._~')).toBe('a-b%2E%5F%7E');
  });

  it('can be decoded, so that no two texts have the same encoding', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }), // whole code points only
        fc.subarray(['.', '_', '~', '-']),
        (text, reserved) => {
          expect(decodeURIComponent(encoder(new Set(reserved))(text))).toBe(text);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});

describe('A separator of two placeholders', () => {
  it.each([
    [':', ''],
    [' and ', ''],
    ['-/', ''],
    ['😀', ''],
    ['-', '-'],
    ['a-b.', '.'],
    ['', undefined],
    ['x', undefined],
    ['7', undefined],
    ['%', undefined],
    ['é', undefined],
  ])('%p reserves %p', (separator, reserved) => {
    expect(boundaryIn(separator)?.reserved).toBe(reserved);
  });
});

describe('A value', () => {
  it.each([
    ['a', 'a'],
    [7, '7'],
    [-0, '0'],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    [12345678901234567890n, '12345678901234567890'],
    [true, 'true'],
    [false, 'false'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [runInNewContext('new Date(0)'), '1970-01-01T00:00:00.000Z'],
    [Object.assign(new Date(0), { toISOString: () => 'never' }), '1970-01-01T00:00:00.000Z'],
  ])('%p is read as %p', (value, text) => {
    expect(textOf(value)).toBe(text);
  });

  it('is refused if its text would be empty or ambiguous', () => {
    const refused = [
      undefined,
      null,
      NaN,
      Infinity,
      -Infinity,
      '',
      '\ud83d',
      'a\udc00',
      {},
      [],
      ['a'],
      new Date(NaN),
      Object.create(Date.prototype),
      Symbol('a'),
      () => 'a',
      Object('a'),
      Object(1),
      Buffer.from('a'),
      new Proxy(new Date(0), {}),
    ];
    for (const value of refused) expect(textOf(value)).toBeUndefined();
  });
});
