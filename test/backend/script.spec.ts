import { type ArgumentsOf, encode, type KeysOf, type ReplyOf, script } from '../../lib/backend/scripts/script.js';

const take = script<
  { lock: string; fence: string },
  { owner: string; lease: number },
  [outcome: 'won' | 'busy', n: number]
>({
  name: 'kind/take',
  keyNames: ['lock', 'fence'],
  argumentNames: ['owner', 'lease'],
  replies: [[{ holds: ['won', 'busy'] }, { holds: 'number' }]],
  text: '',
});

const renew = script<{ locks: readonly string[] }, { lease: number; owners: readonly string[] }, number[]>({
  name: 'kind/renew',
  keyNames: ['locks'],
  argumentNames: ['lease', 'owners'],
  replies: [[{ holds: 'number', rest: true }]],
  text: '',
});

describe('The encoding of script arguments', () => {
  it('puts names in the order of the header', () => {
    const encoded = encode(take, { fence: 'f', lock: 'l' }, { lease: 1_500.25, owner: 'o' });
    expect(encoded).toEqual({ keyCount: 2, parameters: ['l', 'f', 'o', '1500.25'] });
  });

  it('flattens lists', () => {
    const encoded = encode(renew, { locks: ['a', 'b'] }, { lease: 5, owners: ['x', 'y'] });
    expect(encoded).toEqual({ keyCount: 2, parameters: ['a', 'b', '5', 'x', 'y'] });
  });

  it.each([Number.NaN, Infinity])('refuses %d, which Lua would read as a number', (lease) => {
    expect(() => encode(take, { lock: 'l', fence: 'f' }, { owner: 'o', lease })).toThrow(`was given ${lease}`);
  });

  it('does not compile with a missing key, a wrong type or a reply misread', () => {
    // @ts-expect-error the fence is missing
    expect(() => encode(take, { lock: 'l' }, { owner: 'o', lease: 1 })).toThrow("needs 'fence'");
    // @ts-expect-error a lease is a number
    encode(take, { lock: 'l', fence: 'f' }, { owner: 'o', lease: '1s' } satisfies ArgumentsOf<typeof take>);
    // @ts-expect-error all keys come as a list
    encode(renew, { locks: 'a' } satisfies KeysOf<typeof renew>, { lease: 1, owners: [] });
    const reply: ReplyOf<typeof take> = ['busy', 1];
    // @ts-expect-error there is no such outcome
    expect(reply[0] === 'lost').toBe(false);
  });
});
