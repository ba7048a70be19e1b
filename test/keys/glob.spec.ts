import fc from 'fast-check';
import { globMatcher, globOf } from '../../lib/keys/glob.js';

describe('A glob', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['*', ['', 'a', 'a:b', 'é'], []],
    ['a*', ['a', 'ab', 'a*'], ['', 'ba']],
    ['*a', ['a', 'ba', 'aa'], ['ab']],
    ['a*b*c', ['abc', 'a-b-c', 'abbcc', 'abcbc'], ['ab', 'acb']],
    ['a?c', ['abc', 'a?c'], ['ac', 'abbc', 'aéc']],
    ['[ab]', ['a', 'b'], ['c', 'ab', '']],
    ['[^ab]', ['c'], ['a', 'b', '']],
    ['[a-c]x', ['ax', 'cx'], ['dx', '-x']],
    ['[c-a]x', ['ax', 'bx'], ['dx']],
    ['[\\]a]', [']', 'a'], ['\\']],
    ['\\*', ['*'], ['a', '']],
    ['\\[a', ['[a'], ['a']],
    ['[a', ['a'], ['[a']],
    ['a\\', ['a\\'], ['a']],
  ])('%s matches as in Redis', (glob, yes, no) => {
    const matches = globMatcher(glob);
    expect(yes.filter((name) => !matches(name))).toEqual([]);
    expect(no.filter((name) => matches(name))).toEqual([]);
  });

  it('made of a name matches that name alone', () => {
    const name = fc.string({ unit: fc.constantFrom('a', '*', '?', '[', ']', '^', '-', '\\', '{', 'é'), maxLength: 8 });
    fc.assert(
      fc.property(name, name, (one, other) => {
        expect(globMatcher(globOf(one))(other)).toBe(one === other);
      }),
    );
  });

  it('with many stars takes no more than a moment', () => {
    expect(globMatcher(`${'*a'.repeat(200)}b`)('a'.repeat(512))).toBe(false);
  });
});
