import { parseOptions } from './options.js';

const known = {
  scenarios: ['S1', 'S5a', 'S5b', 'fair', 'scale'],
  named: ['scale'],
  adapters: ['raw', 'one', 'other', 'variant'],
  namedAdapters: ['variant'],
};
const parse = (...args: string[]) => parseOptions(args, known);

describe('parseOptions', () => {
  it('selects the scenarios that need not be named, at full length, by default', () => {
    expect(parse()).toEqual({
      quick: false,
      write: false,
      only: ['S1', 'S5a', 'S5b', 'fair'],
      adapters: ['raw', 'one', 'other'],
      rounds: 5,
      seconds: 3,
      pin: false,
      nodes: [],
      allPeers: false,
    });
    expect(parse('--quick')).toMatchObject({ quick: true, rounds: 2, seconds: 1 });
  });

  it('selects scenarios by the beginning of their names, in their own order', () => {
    expect(parse('--only', 'S5,S1').only).toEqual(['S1', 'S5a', 'S5b']);
    expect(parse('--only', 'scale').only).toEqual(['scale']);
    expect(parse('--only', 'all').only).toEqual(known.scenarios);
    expect(parse('--adapters', 'other,raw').adapters).toEqual(['raw', 'other']);
    expect(parse('--adapters', 'variant,raw').adapters).toEqual(['raw', 'variant']);
  });

  it('reads the set-ups', () => {
    expect(parse('--pin', '--node', '20,24')).toMatchObject({ pin: true, nodes: ['20', '24'] });
    expect(parse('--all-peers').allPeers).toBe(true);
  });

  it('refuses unknown values, naming the known ones', () => {
    expect(() => parse('--only', 'S1,S9')).toThrow("no scenario 'S9'; there are S1, S5a, S5b, fair, scale, all");
    expect(() => parse('--only', '')).toThrow("no scenario ''");
    expect(() => parse('--adapters', 'on')).toThrow("no adapter 'on'; there are raw, one, other");
    expect(() => parse('--rounds', '1.5')).toThrow("--rounds must be a number above 0, not '1.5'");
    expect(() => parse('--seconds', '0')).toThrow('--seconds');
    expect(() => parse('--fast')).toThrow('--fast');
  });
});
