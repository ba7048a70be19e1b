import { HttpException, NotFoundException } from '@nestjs/common';
import { HTTP_ERRORS } from '../../lib/module/redis-lock.constants.js';
import { ErrorCodec } from '../../lib/coordination/error-codec.js';
import { read, type FlightResult, write } from '../../lib/coordination/flight-result.js';

const errors = new ErrorCodec(HTTP_ERRORS);

const errorIn = (result: FlightResult | undefined): Error => {
  const error = result?.ended === 'threw' ? result.error : undefined;
  if (error instanceof Error) return error;
  throw new Error('expected an error', { cause: result });
};

/** A stored error that a client with write access to Redis may forge. */
const forged = (is: string, fields: string): string =>
  `-{"name":"${is}","message":"forged","is":"${is}","fields":{${fields}}}`;

describe('A shared result', () => {
  it.each([
    '-',
    '-null',
    '-1',
    '-"text"',
    '-[]',
    '-{',
    '-{}',
    '-{"name":1,"message":"m","fields":{}}',
    '-{"name":"E","fields":{}}',
    '-{"name":"E","message":"m"}',
    '-{"name":"E","message":"m","fields":null}',
    '-{"name":"E","message":"m","fields":[]}',
    '-{"name":"E","message":"m","is":{},"fields":{}}',
    '-{"name":"E","message":"m","stack":1,"fields":{}}',
    '-{"__proto__":{"thrown":1}}',
    '+{',
    '+undefined',
    'somebody',
    '',
  ])('D13: %s is not a shared result', (text) => {
    expect(read(text, errors)).toBeUndefined();
  });

  it.each(['+', '+null', '+1', '+{"a":[1]}', '-{"thrown":null}', '-{"thrown":{"message":"text"}}'])(
    'D13: %s is a shared result, and is written as it was read',
    (text) => {
      const result = read(text, errors);
      expect(result && write(result, errors)).toBe(text);
    },
  );

  it('D13: an error keeps its prototype, whatever its fields are called', () => {
    const error = errorIn(read(forged('Error', '"__proto__":{"status":200,"getStatus":1}'), errors));
    expect(Object.getPrototypeOf(error)).toBe(Error.prototype);
    expect(error).not.toHaveProperty('status');
    expect(Object.prototype).not.toHaveProperty('status');
  });

  it('D13: an error keeps the methods of its class', () => {
    const fields = '"getStatus":1,"constructor":1,"toString":1,"hasOwnProperty":1,"status":404';
    const error = errorIn(read(forged('NotFoundException', fields), errors));
    expect(error).toBeInstanceOf(NotFoundException);
    expect((error as HttpException).getStatus()).toBe(404);
    expect(Object.keys(error)).toEqual(['status']);
    expect(String(error)).toBe('NotFoundException: forged');
  });

  it('D13: no getter and no setter of the class runs', () => {
    class Guarded extends Error {
      readonly #secret = 's3cret';
      get secret(): string {
        return this.#secret;
      }
      set secret(value: string) {
        throw new Error(value);
      }
    }
    expect(errorIn(read(forged('Guarded', '"secret":"x","id":7'), new ErrorCodec([Guarded])))).toMatchObject({
      id: 7,
    });
  });

  it('D13: an error with odd fields can still be written and read', () => {
    const odd = Object.assign(new Error('odd'), { name: 42, stack: {} });
    expect(errorIn(read(write({ ended: 'threw', error: odd }, errors), errors))).toMatchObject({
      name: '42',
      message: 'odd',
      stack: undefined,
    });
  });
});
