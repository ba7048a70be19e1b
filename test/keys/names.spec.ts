import fc from 'fast-check';

import { LockNameError } from '../../lib/errors.js';
import { routedPart, sameSlot } from '../../lib/keys/hash-slot.js';
import { sortedNames, spellingFault, validateName } from '../../lib/keys/lock-name.js';
import { thrownBy } from '../kit/caught.js';
import {
  latchChannel,
  lockChannel,
  prefixedName,
  idempotencyKeyOf,
  semaphoreChannel,
  suffixedName,
} from '../../lib/keys/redisson-keys.js';

const limits = { maxBytes: 512, allowControlCharacters: false };
const nameWithEverything = '\0😀漢字\b\r\n\\';

describe('A lock name', () => {
  it.each(['orders', '{orders}:7', 'a{b}c{d}', '{{a}}', '{ }x', '__proto__', 'constructor', 'é', 'e\u0301', '\\'])(
    '%p is taken as it is',
    (name) => {
      expect(validateName(name, limits)).toBe(name);
    },
  );

  it('NV-01: may contain control characters, emoji and CJK if the module allows control characters', () => {
    expect(validateName(nameWithEverything, { ...limits, allowControlCharacters: true })).toBe(nameWithEverything);
    expect(() => validateName(nameWithEverything, limits)).toThrow('contains a control character');
  });

  it('NV-03: may be as long as the limit in bytes of UTF-8, and no longer', () => {
    expect(validateName('x'.repeat(512), limits)).toHaveLength(512);
    expect(validateName('\\'.repeat(1_000), { ...limits, maxBytes: 1_000 })).toHaveLength(1_000);
    expect(validateName('é'.repeat(256), limits)).toHaveLength(256);
    expect(() => validateName('x'.repeat(513), limits)).toThrow('is longer than 512 bytes');
    expect(() => validateName(`x${'é'.repeat(256)}`, limits)).toThrow('is longer than 512 bytes');
    expect(() => validateName('x'.repeat(10_000_000), limits)).toThrow('is longer than 512 bytes');
  });

  it.each([
    ['', 'is empty'],
    ['\ud83d', 'is not well-formed'],
    ['\ude00\ud83d', 'is not well-formed'],
    ['a\u007f', 'contains a control character'],
    ['a\u0085', 'contains a control character'],
    ['a\r\nb', 'contains a control character'],
    ['a}b', 'has a "}" without a "{"'],
    ['a{b', 'has a "{" without a "}"'],
    ['{}', 'has an empty hash tag'],
    ['a{}{b}', 'has an empty hash tag'],
    ['}{', 'has a "}" before the first "{"'],
    ['}a{b}', 'has a "}" before the first "{"'],
  ])('%p is refused, because it %s', (name, reason) => {
    expect(() => validateName(name, limits)).toThrow(reason);
  });

  it('NV-04: is refused when it is not a string, and the error names the value', () => {
    for (const value of [
      undefined,
      null,
      7,
      1n,
      true,
      ['a'],
      { name: 'a' },
      Buffer.from('a'),
      () => 'a',
      Symbol('a'),
    ]) {
      const error = thrownBy(() => validateName(value, limits), LockNameError);
      expect(error.message).toContain('is not a string');
    }
    expect(() => validateName(['a'], limits)).toThrow('The lock name array ["a"] is not a string');
  });

  it('NV-02: that differs in case only is another name', () => {
    expect(sortedNames(['order', 'Order', 'order'])).toEqual(['Order', 'order']);
  });
});

describe('Companion names', () => {
  // wire format 1.1
  it.each([
    ['orders', 'redisson_lock__channel:{orders}', '{orders}:timeout'],
    ['{orders}:7', 'redisson_lock__channel:{orders}:7', '{orders}:7:timeout'],
    ['a{b}c', 'redisson_lock__channel:a{b}c', 'a{b}c:timeout'],
    ['a{b', 'redisson_lock__channel:a{b', 'a{b:timeout'],
    ['a}b', 'redisson_lock__channel:{a}b}', '{a}b}:timeout'],
  ])('of %p are spelt as Redisson spells them', (name, channel, suffixed) => {
    expect(lockChannel(name)).toBe(channel);
    expect(prefixedName('redisson_lock__channel', name)).toBe(channel);
    expect(suffixedName(name, 'timeout')).toBe(suffixed);
  });

  it.each([
    ['s', 'redisson_sc:{s}', 'redisson_countdownlatch__channel__{s}', 'redisson_unlock_latch:{s}:id'],
    ['x{s}', 'redisson_sc:x{s}', 'redisson_countdownlatch__channel__{x{s}}', 'redisson_unlock_latch:x{s}:id'],
  ])('of the semaphore or latch %p are spelt as Redisson spells them', (name, semaphore, latch, marker) => {
    expect(semaphoreChannel(name)).toBe(semaphore);
    expect(latchChannel(name)).toBe(latch);
    expect(idempotencyKeyOf(name, 'id')).toBe(marker);
    expect(sameSlot(marker, name)).toBe(true);
  });

  const text = fc
    .array(fc.constantFrom('{', '{', '}', '}', 'a', 'b', ':', '-', ' ', 'é', '日', '😀'), {
      minLength: 1,
      maxLength: 10,
    })
    .map((characters) => characters.join(''));

  it('have the slot of the lock for every accepted name, and no name is refused without need (100 000 names)', () => {
    let accepted = 0;
    let withTag = 0;
    fc.assert(
      fc.property(text, (name) => {
        const companions = [lockChannel(name), prefixedName('redisson_rwlock', name), suffixedName(name, 'timeout')];
        if (spellingFault(name) !== undefined) {
          const misrouted = companions.some((companion) => routedPart(companion) !== routedPart(name));
          if (!misrouted && routedByRedisson(name) === routedPart(name)) throw new Error(`${name} was refused`);
          return;
        }
        accepted++;
        if (name.includes('{')) withTag++;
        for (const companion of companions) {
          if (!sameSlot(companion, name)) throw new Error(`${companion} is in another slot than ${name}`);
          if (routedByRedisson(companion) !== routedPart(companion)) throw new Error(`Redisson misroutes ${companion}`);
        }
      }),
      { numRuns: 100_000 },
    );
    expect(accepted).toBeGreaterThan(20_000);
    expect(withTag).toBeGreaterThan(5_000);
  });
});

describe('Several names', () => {
  it('are put into the order of their bytes, each once', () => {
    expect(sortedNames(['b', '😀', '！', 'a', 'b'])).toEqual(['a', 'b', '！', '😀']);
  });
});

/** The part of a key that Redisson hashes. It ends at the first `}` of the whole key, wherever the `{` is. */
function routedByRedisson(key: string): string {
  const open = key.indexOf('{');
  const close = key.indexOf('}');
  return open !== -1 && close !== -1 && open + 1 < close ? key.slice(open + 1, close) : key;
}
