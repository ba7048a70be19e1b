import { Locked, LockNameError, LockOptionsError } from 'nest-redis-lock';
import { thrownBy } from '../kit/caught.js';

/** The decorator in the form in which a program without types calls it. */
const untyped = Locked as (...args: readonly unknown[]) => PropertyDecorator & MethodDecorator;

/** The error of the decorator itself, on a method of one argument. */
const refusal = <E extends Error>(kind: new (...args: never[]) => E, ...args: readonly unknown[]): E =>
  thrownBy(() => {
    class Orders {
      @untyped(...args)
      async pay(_order: object): Promise<void> {}
    }
    return Orders;
  }, kind);

describe('@Locked refuses at the decorator', () => {
  it.each([
    ['', 'must be a non-empty string'],
    ['order:<0', 'an unclosed "<" at position 6'],
    ['order:<id>', '"<id>", which names no argument'],
    ['order:<>', '"<>", which names no argument'],
    ['order:<0..id>', 'which names no argument'],
    ['order:<0.__proto__>', 'which names no argument'],
    ['<0><0.id>', 'nothing between two placeholders'],
    ['order}:<0>', 'has a "}" without a "{"'],
    ['order:{}<0>', 'has an empty hash tag'],
    ['order:<1>', 'names argument <1>, but Orders.pay has 1; the first is <0>'],
  ])('the template %j', (template, reason) => {
    const error = refusal(LockNameError, template);
    expect(error.message).toContain(reason);
    expect(error.template).toBe(template);
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    [7, '7'],
    [['order'], 'array ["order"]'],
    [{ key: 'order' }, 'object {key}'],
  ])('%j for a key', (key, shown) => {
    expect(refusal(LockNameError, key).message).toContain(`a key template or a key function, not ${shown}`);
  });

  it.each([
    ['wait', -1],
    ['wait', Number.NaN],
    ['wait', '3 s'],
    ['wait', null],
    ['lease', 0],
    ['lease', 9],
    ['lease', Number.POSITIVE_INFINITY],
    ['lease', 2 ** 31],
    ['lease', '10abc'],
    ['lease', true],
    ['onConflict', 'wait'],
    ['onConflict', null],
    ['returns', 'stream'],
    ['returns', Promise],
  ])('the option %s: %p', (option, value) => {
    const error = refusal(LockOptionsError, 'order', { [option]: value });
    expect(error.details).toEqual({ option, value });
    expect(error.message.startsWith(`${option} must be `)).toBe(true);
    expect(error.message).toContain(typeof value === 'string' ? `"${value}"` : String(value).slice(0, 8));
  });

  it.each(['leese', 'key', '__proto__'])('the unknown option %s', (option) => {
    const options = Object.defineProperty({}, option, { value: 1, enumerable: true });
    expect(refusal(LockOptionsError, 'order', options).message).toContain(`unknown option "${option}"`);
  });

  it.each([[null], [7], ['3s'], [[]], [() => {}]])('%p for options', (options) => {
    expect(refusal(LockOptionsError, 'order', options).message).toContain('options of @Locked must be an object, not ');
  });

  it('options that cannot be read', () => {
    const cause = new Error('no');
    const options = {
      get wait(): number {
        throw cause;
      },
    };
    expect(refusal(LockOptionsError, 'order', options).cause).toBe(cause);
  });

  it('a static method', () => {
    const define = (): unknown => {
      class Orders {
        @untyped('order:<0>')
        static async pay(_id: string): Promise<void> {}
      }
      return Orders;
    };
    expect(thrownBy(define, TypeError).message).toContain('static method Orders.pay');
  });

  it('a getter', () => {
    const define = (): unknown => {
      class Orders {
        @untyped('orders')
        get total(): number {
          return 0;
        }
      }
      return Orders;
    };
    expect(thrownBy(define, TypeError).message).toContain('only be used on a method, and Orders.total is not one');
  });

  it('a property with an arrow function', () => {
    const define = (): unknown => {
      class Orders {
        @untyped('order:<0>')
        readonly pay = async (_id: string): Promise<void> => {};
      }
      return Orders;
    };
    expect(thrownBy(define, TypeError).message).toContain('only be used on a method, and Orders.pay is not one');
  });

  it('a generator that is not asynchronous', () => {
    const define = (): unknown => {
      class Orders {
        @untyped('order:<0>')
        *items(_id: string): Generator<number> {
          yield 1;
        }
      }
      return Orders;
    };
    expect(thrownBy(define, TypeError).message).toContain('generator Orders.items; make it an async generator');
  });

  it('a decorator call of the new standard, and says which compiler option is missing', () => {
    const decorate = (): unknown =>
      Reflect.apply(untyped('order'), undefined, [() => {}, { kind: 'method', name: 'pay' }]);
    expect(thrownBy(decorate, TypeError).message).toContain('"experimentalDecorators" in tsconfig.json');
  });
});

describe('@Locked accepts at the decorator', () => {
  it('an index that only a rest parameter or a default can have', () => {
    class Orders {
      @untyped('order:<3>')
      async rest(..._ids: string[]): Promise<void> {}

      @untyped('order:<1>')
      async withDefault(_id: string, _tenant = 'acme'): Promise<void> {}
    }
    expect(Object.keys(new Orders())).toEqual([]);
  });
});
