import { Locked, LockNameError, lockName, SingleFlight } from '../../lib/index.js';
import { LockedCron } from '../../lib/integrations/schedule/index.js';
import { compileTemplate } from '../../lib/keys/key-template.js';
import { namesFrom } from '../../lib/decorators/method-key.js';
import { errorResponse } from '../../lib/module/lock-error-response.js';
import { thrownBy } from '../kit/caught.js';

const descriptor: TypedPropertyDescriptor<(id: string) => Promise<string>> = { value: async (id) => id };
const decorate = (decorator: unknown): void => {
  (decorator as MethodDecorator)({}, 'pay', descriptor);
};

describe('D58: a placeholder of another library', () => {
  it.each<[string, () => unknown]>([
    ['@Locked', () => decorate(Locked('order:{0}' as string))],
    ['@SingleFlight', () => decorate(SingleFlight('order:{0}' as string))],
    ['@LockedCron', () => decorate(LockedCron('0 3 * * *', 'report:{0}'))],
    ['lockName', () => lockName`order:{0}`],
  ])('is refused by %s before anything is locked', (_, use) => {
    expect(thrownBy(use, LockNameError).message).toContain('has "{0}" at position');
  });
});

class Game {
  readonly score = 7;
}

describe('D58: the response if a value is no part of a name', () => {
  const settings = { conflictStatus: 409, renewedLease: 30_000 };
  const byTemplate = (value: unknown) => compileTemplate('game:<0.id>').render([{ id: value }], 10);
  const byTag = (value: unknown) => lockName`game:${value as string}`;
  const byFunction = (value: unknown) => namesFrom(value, 'Games.play', 10);
  const ways = [byTemplate, byTag, byFunction];

  it.each<[string, unknown, number]>([
    ['undefined', undefined, 400],
    ['null', null, 400],
    ['an object of JSON', { a: 1 }, 400],
    ['an object without a prototype', Object.create(null), 400],
    ['an invalid date', new Date(Number.NaN), 400],
    ['an object of a class', new Game(), 500],
    ['a promise', Promise.resolve('7'), 500],
    ['a function', () => '7', 500],
    ['a symbol', Symbol('7'), 500],
    ['a map', new Map(), 500],
    ['a proxy', new Proxy({}, {}), 500],
  ])('blames the client only for what it can have sent: %s', (_, value, status) => {
    const statuses = ways.map(
      (way) =>
        errorResponse(
          thrownBy(() => way(value), LockNameError),
          settings,
        ).status,
    );
    expect(statuses).toEqual([status, status, status]);
  });

  it('tells what to do with an object of a class', () => {
    expect(thrownBy(() => byTemplate(new Game()), LockNameError).message).toBe(
      'The key template "game:<0.id>" needs non-empty text, a finite number, a bigint, a boolean, a valid date or an ' +
        'ObjectId for <0.id>, but argument 0.id is object Game {score}; make text of it in a key function',
    );
  });
});
