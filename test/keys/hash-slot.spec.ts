import { hashSlot, routedPart, sameSlot } from '../../lib/keys/hash-slot.js';

describe('The cluster slot of a key', () => {
  // The answers of CLUSTER KEYSLOT of a real server.
  it.each([
    ['', 0],
    ['123456789', 12_739],
    ['foo', 12_182],
    ['bar', 5_061],
    ['foo{bar}{zap}', 5_061],
    ['foo{{bar}}zap', 4_015],
    ['foo{}{bar}', 8_363],
    ['{user1000}.following', 3_443],
    ['user1000', 3_443],
  ])('of %p is %p', (key, slot) => {
    expect(hashSlot(key)).toBe(slot);
  });

  it.each([
    ['a{b}c', 'b'],
    ['a{b}c{d}', 'b'],
    ['{{a}}', '{a'],
    ['{}', '{}'],
    ['{}a{b}', '{}a{b}'],
    ['a{b', 'a{b'],
    ['a}b', 'a}b'],
    ['}a{b}', 'b'],
  ])('of %p is that of %p', (key, part) => {
    expect(routedPart(key)).toBe(part);
    expect(sameSlot(key, part)).toBe(true);
  });

  it('counts bytes of UTF-8, not characters', () => {
    expect(hashSlot('日本')).toBe(hashSlot(Buffer.from('e697a5e69cac', 'hex').toString()));
    expect(sameSlot('é', 'e\u0301')).toBe(false);
  });
});
