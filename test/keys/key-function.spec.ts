import { namesFrom } from '../../lib/decorators/method-key.js';
import { LockNameError } from '../../lib/errors.js';
import { thrownBy } from '../kit/caught.js';

describe('The result of a key function', () => {
  it.each([
    [undefined, 'not undefined'],
    [null, 'not null'],
    [Number.NaN, 'not NaN'],
    [7, 'not 7'],
    [{ id: 7 }, 'not object {id}'],
    [[], 'not array []'],
    [['a', undefined], 'not undefined at index 1 of its list'],
    [[null, 'a'], 'not null at index 0 of its list'],
    [Array.from({ length: 1 }), 'not undefined at index 0 of its list'],
    [['a', 'b', { id: 7 }], 'not object {id} at index 2 of its list'],
  ])('%p is refused, with the value and the method', (names, found) => {
    const error = thrownBy(() => namesFrom(names, 'Carts.add', 10), LockNameError);
    expect(error.message).toBe(`The key function of Carts.add must return a name or a list of names, ${found}`);
    expect(error.details).toMatchObject({ place: 'Carts.add' });
  });

  it('is a name, or a copy of the list of names', () => {
    expect(namesFrom('a', 'Carts.add', 10)).toBe('a');
    const list = ['a', 'b'];
    const names = namesFrom(list, 'Carts.add', 10);
    expect(names).toEqual(['a', 'b']);
    expect(names).not.toBe(list);
  });
});
