import fc from 'fast-check';

import { LockNameError } from '../../lib/errors.js';
import { hashSlot } from '../../lib/keys/hash-slot.js';
import { compileTemplate } from '../../lib/keys/key-template.js';
import { lockName } from '../../lib/keys/lock-name-tag.js';
import { thrownBy } from '../kit/caught.js';

function render(template: string, ...args: unknown[]): string | readonly string[] {
  return compileTemplate(template).render(args, 1000);
}

function nameErrorOf(call: () => unknown): LockNameError {
  return thrownBy(call, LockNameError);
}

describe('A key template', () => {
  it.each<[string, unknown[], string]>([
    ['nightly-report', [], 'nightly-report'],
    ['order:<0>', ['42'], 'order:42'],
    ['order:<1>:<0>', ['a', 'b'], 'order:b:a'],
    ['order:<0.customer.id>', [{ customer: { id: 7 } }], 'order:7'],
    ['<0>:<0>', ['a'], 'a:a'],
    ['{stock}:<0>', ['{hot}'], '{stock}:%7Bhot%7D'],
    ['{<0>}:stock', ['a}{b'], '{a%7D%7Bb}:stock'],
    [String.raw`a\<0>:<0>`, ['x'], 'a<0>:x'],
    ['a->b:<0>', ['x'], 'a->b:x'],
    ['a\\b:<0>', ['x'], 'a\\b:x'],
    ['<0>:$&', ['$`<1>$1'], '%24%60%3C1%3E%241:$&'],
    ['<0.line-item.größe>', [{ 'line-item': { größe: 'L' } }], 'L'],
    ['on:<0>', [new Date(0)], 'on:1970-01-01T00%3A00%3A00.000Z'],
    ['<0>-<1>', ['a-b', 'c'], 'a%2Db-c'],
    ['<0>-<1>', ['a', 'b-c'], 'a-b%2Dc'],
    ['<0>', ['a-b'], 'a-b'],
  ])('%s with %j gives %s', (template, args, name) => {
    expect(render(template, ...args)).toBe(name);
  });

  it.each([
    ['order:{0}', '{0}', 6],
    ['{0}', '{0}', 0],
    ['order:{0.id}', '{0.id}', 6],
    ['order:{{0}}', '{{0}}', 6],
    ['order:#{0}', '#{0}', 6],
    ['order:{ 1 }:<0>', '{ 1 }', 6],
    ['order:{args[0].id}', '{args[0].id}', 6],
    ['order:{params.id}', '{params.id}', 6],
  ])(
    'D58: is refused with a placeholder of another library, as all calls would lock one name: %s',
    (text, token, position) => {
      expect(nameErrorOf(() => compileTemplate(text))).toMatchObject({
        message:
          `The key template "${text}" has "${token}" at position ${position}, which is not replaced; ` +
          'write <0> for the first argument, <0.id> for a property of it, or give a function of the arguments',
        details: { position },
      });
    },
  );

  it.each(['{order}', '{order0}:<0>', '{0order}:<0>', '{<0>}', 'a{b0}'])('D58: keeps a hash tag: %s', (text) => {
    expect(compileTemplate(text).text).toBe(text);
  });

  it('D58: takes the text of an ObjectId, which is the same key as its text', () => {
    const text = '507f1f77bcf86cd799439011';
    class ObjectId {
      toHexString(): string {
        return text;
      }
    }
    expect(render('game:<0._id>', { _id: new ObjectId() })).toBe(`game:${text}`);
    expect(render('game:<0._id>', { _id: text })).toBe(`game:${text}`);
    expect(lockName`game:${new ObjectId()}`).toBe(`game:${text}`);
  });

  it.each([
    ['no text', () => ({ toHexString: () => 7 })],
    ['no hexadecimal text', () => ({ toHexString: () => '[object Object]' })],
    ['nothing', () => ({ toHexString: () => '' })],
  ])('D58: refuses an id that gives %s', (_, id) => {
    expect(nameErrorOf(() => render('game:<0>', id())).message).toContain('or an ObjectId for <0>, but argument 0 is');
  });

  it('D58: tells what an id has thrown', () => {
    const id = {
      toHexString: (): string => {
        throw new Error('closed');
      },
    };
    expect(nameErrorOf(() => render('game:<0>', id))).toMatchObject({
      message: 'The key template "game:<0>" could not read <0>: Error "closed"',
      details: { ofProgram: true },
    });
  });

  it('knows its text and the highest argument it needs', () => {
    expect(compileTemplate('a:<0>:<3.id>:<1>')).toMatchObject({ text: 'a:<0>:<3.id>:<1>', highestIndex: 3 });
    expect(compileTemplate('a').highestIndex).toBe(-1);
  });

  it.each([
    ['order:<0', 6],
    ['order:<', 6],
    ['<0<1>', 0],
    ['order:<>', 6],
    ['a:<0>:<foo>', 6],
    ['<-1>', 0],
    ['<+1>', 0],
    ['<01>', 0],
    ['<1.5.>', 0],
    ['< 0>', 0],
    ['<0 >', 0],
    ['<0..a>', 0],
    ['<0.>', 0],
    ['<.0>', 0],
    ['<0. a>', 0],
    ['<0.a\\b>', 0],
    ['<0.__proto__>', 0],
    ['<0.constructor.name>', 0],
    ['<0.a.prototype>', 0],
  ])('%s is refused at position %i when it is compiled', (template, position) => {
    const error = nameErrorOf(() => compileTemplate(template));
    expect(error).toMatchObject({ template, details: { position } });
    expect(error.message).toContain(JSON.stringify(template));
    expect(error.message).toContain(`at position ${position}`);
  });

  it.each([
    ['', 'must be a non-empty string'],
    ['a}b:<0>', 'has a "}" without a "{"'],
    ['a{b:<0>', 'has a "{" without a "}"'],
    ['a{}:<0>', 'has an empty hash tag'],
    ['\ud83d:<0>', 'is not well-formed'],
    ['<0><1>', 'has nothing between two placeholders'],
    ['tile:<0>x<1>', 'has only "x" between two placeholders'],
    ['<0>%<1>', 'has only "%" between two placeholders'],
  ])('%j is refused when it is compiled: it %s', (template, reason) => {
    expect(() => compileTemplate(template)).toThrow(reason);
  });

  it('D36: with "${" is refused, also beside a placeholder and as a hash tag, with what to write', () => {
    // oxlint-disable-next-line no-template-curly-in-string -- the mistake that is tested
    for (const text of ['order:${id}', '${id}:<0>', 'order:<0>:${', '{${id}}:<0>']) {
      const error = nameErrorOf(() => compileTemplate(text));
      expect(error.details['position']).toBe(text.indexOf('${'));
      expect(error.message).toContain('write <0> for the first argument, <0.id> for a property of it');
    }
    expect(render('order:{<0>}:$5', 'x')).toBe('order:{x}:$5');
    expect(render('order:{id}')).toBe('order:{id}');
  });

  it('is refused if it is not a string', () => {
    for (const value of [undefined, null, 7, {}, ['<0>']]) {
      // @ts-expect-error a call that only JavaScript allows
      expect(nameErrorOf(() => compileTemplate(value)).template).toBeUndefined();
    }
  });
});

describe('The arguments of a call', () => {
  const refused: [string, unknown[], string][] = [
    ['a:<0>', [], '<0>, but argument 0 is undefined'],
    ['a:<1>', ['x'], '<1>, but argument 1 is undefined'],
    ['a:<0>', [null], 'is null'],
    ['a:<0>', [''], 'is ""'],
    ['a:<0>', [NaN], 'is NaN'],
    ['a:<0>', [Infinity], 'is Infinity'],
    ['a:<0>', [{ id: 7 }], 'is object {id}'],
    ['a:<0>', [() => 'x'], 'is function'],
    ['a:<0>', [Symbol('x')], 'is Symbol(x)'],
    ['a:<0>', [new Date(NaN)], 'is object Date (invalid)'],
    ['a:<0>', ['\ud83d'], 'is "\\ud83d"'],
    ['a:<0.b.c>', [{ b: null }], '<0.b.c>, but argument 0.b is null'],
    ['a:<0.b.c>', [{}], '<0.b.c>, but argument 0.b is undefined'],
    ['a:<0.b>', [{}], '<0.b>, but argument 0.b is undefined'],
    ['a:<0.length>', ['text'], '<0.length>, but argument 0 is "text"'],
    ['a:<0.0>', ['text'], '<0.0>, but argument 0 is "text"'],
    ['a:<0.name>', [function pay() {}], 'argument 0 is function pay'],
    ['a:<0.toString>', [{}], 'argument 0.toString is undefined'],
    ['a:<0.length>', [['x', 'y']], 'argument 0[0] is "x"'],
    ['a:<0.map>', [[{}]], 'argument 0[0].map is undefined'],
    ['a:<0.2>', [['x', 'y']], 'argument 0.2 is undefined'],
    ['a:<0>', [['x', undefined]], 'argument 0[1] is undefined'],
    // oxlint-disable-next-line no-sparse-arrays -- a hole is what is tested
    ['a:<0>', [[, 'x']], 'argument 0[0] is undefined'],
    ['a:<0.id>', [[{ id: 1 }, {}]], 'argument 0[1].id is undefined'],
  ];

  it.each(refused)('%s with %p are refused: %s', (template, args, reason) => {
    const error = nameErrorOf(() => render(template, ...args));
    expect(error.template).toBe(template);
    expect(error.message).toContain(reason);
    expect(error.details['placeholder']).toMatch(/^<.*>$/);
  });

  it('may have getters, which are read with their object, but methods and inherited data are ignored', () => {
    class Base {
      declare kind: string;
      #id = 7;
      get id(): number {
        return this.#id;
      }
      getId(): number {
        return this.#id;
      }
    }
    Base.prototype.kind = 'inherited';
    class Order extends Base {}
    expect(render('a:<0.id>', new Order())).toBe('a:7');
    expect(() => render('a:<0.getId>', new Order())).toThrow('argument 0.getId is undefined');
    expect(() => render('a:<0.kind>', new Order())).toThrow('argument 0.kind is undefined');
    expect(render('a:<0.id>', Object.assign(Object.create(null), { id: 7 }))).toBe('a:7');
    expect(render('a:<0.id>', new Proxy({ id: 7 }, { get: () => 8 }))).toBe('a:8');
  });

  it('that throw when they are read give a LockNameError with that error as its cause', () => {
    const cause = new Error('not loaded');
    const order = {
      get id(): string {
        throw cause;
      },
    };
    const error = nameErrorOf(() => render('a:<0.id>', order));
    expect(error.message).toContain('could not read <0.id>: Error "not loaded"');
    expect(error.cause).toBe(cause);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(nameErrorOf(() => render('a:<0.id>', proxy)).cause).toBeInstanceOf(TypeError);
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(nameErrorOf(() => render('a:<0>', cyclic)).cause).toBeInstanceOf(RangeError);
  });
});

describe('A list among the arguments', () => {
  const order = {
    id: 'o1',
    lines: [
      { sku: 'b', at: 2, values: ['x', 'y'] },
      { sku: 'a', at: 1, values: ['x'] },
      { sku: 'b', at: 2, values: ['z'] },
    ],
    tags: ['t1', 't2'],
    none: [],
  };

  it.each<[string, string[]]>([
    ['stock:<0.lines.sku>', ['stock:a', 'stock:b']],
    ['stock:<0.id>:<0.lines.sku>', ['stock:o1:a', 'stock:o1:b']],
    ['stock:<0.lines.sku>:<0.lines.at>', ['stock:a:1', 'stock:b:2']],
    ['stock:<0.lines.at>', ['stock:1', 'stock:2']],
    ['stock:<0.lines.values>', ['stock:x', 'stock:y', 'stock:z']],
    ['stock:<0.lines.0.values>', ['stock:x', 'stock:y']],
    ['stock:<0.lines.values.0>', ['stock:x', 'stock:z']],
    ['tag:<0.tags>', ['tag:t1', 'tag:t2']],
  ])('gives with %s the names %j', (template, names) => {
    expect(render(template, order)).toEqual(names);
  });

  it('gives one name where its elements give the same, and still a list', () => {
    expect(render('a:<0>', ['x', 'x'])).toEqual(['a:x']);
    expect(render('a:<0.1>', ['x', 'y'])).toBe('a:y');
  });

  it('is refused when it is empty', () => {
    expect(() => render('a:<0.none>', order)).toThrow('has nothing to lock: the list in <0.none> is empty');
    expect(() => render('a:<0>', [])).toThrow('has nothing to lock');
  });

  it('is refused beside another list', () => {
    expect(() => render('a:<0.lines.sku>:<0.tags>', order)).toThrow(
      'finds different lists in <0.lines.sku> and <0.tags>',
    );
    expect(() => render('a:<0.lines.sku>:<0.lines.values>', order)).toThrow('finds different lists');
    expect(() => render('a:<0>:<1>', ['x'], ['x'])).toThrow('finds different lists in <0> and <1>');
  });

  it('is put into the order of bytes whatever its own order is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), (skus) => {
        const names = render('stock:<0>', skus);
        expect(names).toEqual(render('stock:<0>', skus.toReversed()));
        expect(names).toHaveLength(new Set(skus).size);
      }),
    );
  });
});

describe('The names of a template', () => {
  const separators = [':', '::', '-', '.', '_', '~', ' ', '}:{', '%:', '-x', '/', 'to.'];
  const value = fc.oneof(
    fc
      .array(
        fc.constantFrom(':', '-', '.', '_', '~', '%', '2', 'D', '3', 'A', 'a', 'x', '{', '}', '<0>', '\\', 'é', '😀'),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((characters) => characters.join('')),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }),
    fc.integer({ min: -50, max: 50 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.bigInt(),
    fc.boolean(),
    fc.date({ noInvalidDate: true }),
  );

  it('differ whenever the arguments print differently (120 000 tuples)', () => {
    const templates = separators.map((separator) => compileTemplate(`{t}:<0>${separator}<1>${separator}<2>`));
    const argumentsOf = new Map<string, string>();
    const tuples = fc.sample(fc.tuple(value, value, value), { numRuns: 10_000, seed: 20_240_131 });
    for (const [index, template] of templates.entries()) {
      argumentsOf.clear();
      for (const tuple of tuples) {
        const name = template.render(tuple, 1);
        if (typeof name !== 'string') throw new Error('expected one name');
        const printed = JSON.stringify(tuple.map((part) => (part instanceof Date ? part.toISOString() : String(part))));
        const earlier = argumentsOf.get(name) ?? printed;
        if (earlier !== printed) throw new Error(`${separators[index]}: ${earlier} and ${printed} both give ${name}`);
        argumentsOf.set(name, printed);
      }
      expect(argumentsOf.size).toBeGreaterThan(5_000);
    }
  });

  it('differ for the same characters cut at another place (all cuts of 20 000 texts)', () => {
    const text = fc.array(fc.constantFrom(':', '-', '.', '%', '2', 'D', 'a'), { minLength: 3, maxLength: 6 });
    fc.assert(
      fc.property(text, fc.constantFrom(...separators), (characters, separator) => {
        const template = compileTemplate(`{t}:<0>${separator}<1>`);
        const cuts = characters.slice(1).map((_, index) => index + 1);
        const names = cuts.map((cut) =>
          template.render([characters.slice(0, cut).join(''), characters.slice(cut).join('')], 1),
        );
        expect(new Set(names).size).toBe(cuts.length);
      }),
      { numRuns: 20_000 },
    );
  });

  it("lie in the slot of the author's hash tag, for any arguments", () => {
    const template = compileTemplate('{stock}:<0>:<1>');
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(hashSlot(String(template.render([a, b], 1)))).toBe(hashSlot('stock'));
      }),
      { numRuns: 20_000 },
    );
  });

  it('spread over the slots even if every argument ends in a hash tag', () => {
    const template = compileTemplate('order:<0>');
    const slots = Array.from({ length: 2_000 }, (_, id) => hashSlot(String(template.render([`${id}-{hot}`], 1))));
    expect(new Set(slots).size).toBeGreaterThan(1_500);
  });
});
