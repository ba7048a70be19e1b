import fc from 'fast-check';
import { LockNameError } from '../../lib/errors.js';
import { compileTemplate } from '../../lib/keys/key-template.js';
import { lockName } from '../../lib/standalone.js';
import { thrownBy } from '../kit/caught.js';

const untyped = lockName as (literals: unknown, ...values: unknown[]) => string;

describe('A name made with lockName', () => {
  it('is the name of a key template for the same values', () => {
    const value = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.string({ minLength: 1, unit: fc.constantFrom('a', ':', '-', '.', '{', '}', '<', '%', ' ', '\n') }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.bigInt(),
      fc.boolean(),
      fc.date({ noInvalidDate: true }),
    );
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const template = compileTemplate('cart:<0>-<1>.{<2>}');
        expect(lockName`cart:${a}-${b}.{${c}}`).toBe(template.render([a, b, c], 1));
      }),
    );
  });

  it.each([
    [lockName`report`, 'report'],
    [lockName`cart:${'a:b'}`, 'cart:a%3Ab'],
    [lockName`${'a-b'}-${'c'}`, 'a%2Db-c'],
    [lockName`${'a'}-${'b-c'}`, 'a-b%2Dc'],
    [lockName`{stock}:${'{hot}'}`, '{stock}:%7Bhot%7D'],
    [lockName`on:${new Date(0)}:${7n}:${true}`, 'on:1970-01-01T00%3A00%3A00.000Z:7:true'],
    [lockName`a<0>:${'x'}`, 'a<0>:x'],
  ])('is %s', (made, expected) => {
    expect(made).toBe(expected);
  });

  it.each([
    undefined,
    null,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    '',
    {},
    [],
    ['a'],
    new Date(Number.NaN),
    Symbol('s'),
  ])('cannot have the value %p', (value) => {
    const error = thrownBy(() => lockName`cart:${'7'}:${value as never}`, LockNameError);
    expect(error.message).toMatch(
      /^The name lockName`cart:\$\{0\}:\$\{1\}` needs non-empty text, .* for \$\{1\}, but it is /,
    );
    expect(error).toMatchObject({ template: 'cart:${0}:${1}', details: { placeholder: '${1}' } });
  });

  it('names the value that is missing, as the error of a key template does', () => {
    const missing = undefined as never;
    expect(thrownBy(() => lockName`cart:${missing}`, LockNameError).message).toBe(
      'The name lockName`cart:${0}` needs non-empty text, a finite number, a bigint, a boolean, a valid date or an ObjectId for ${0}, but it is undefined',
    );
    expect(thrownBy(() => compileTemplate('cart:<0>').render([undefined], 1), LockNameError).message).toContain(
      'needs non-empty text, a finite number, a bigint, a boolean, a valid date or an ObjectId for <0>, but',
    );
  });

  it.each([
    [() => lockName`${'a'}${'b'}`, 'has nothing between two values'],
    [() => lockName`${'a'}é${'b'}`, 'has only "é" between two values'],
    [() => lockName`cart:}${'b'}{`, 'has a "}" before the first "{"'],
    [() => lockName`cart:{}${'b'}`, 'has an empty hash tag'],
    [() => lockName``, 'is empty'],
    [() => untyped('cart:7'), 'lockName is a template tag'],
    [() => untyped(['cart:', ''], '7'), 'lockName is a template tag'],
    [() => untyped(undefined), 'lockName is a template tag'],
    [() => untyped(Object.assign([undefined], { raw: [String.raw`\u`] })), 'invalid escape sequence'],
  ])('is refused for literal text that cannot make one: case %#', (make, fault) => {
    expect(thrownBy(make, LockNameError).message).toContain(fault);
    expect(thrownBy(make, LockNameError).message).toContain(fault);
  });
});
