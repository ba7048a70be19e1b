import { orderOfRound } from './rounds.js';

describe('orderOfRound', () => {
  it('has each library once in each round and begins with the next one', () => {
    const rounds = [0, 1, 2, 3].map((round) => orderOfRound(['a', 'b', 'c'], round).join(''));
    expect(rounds).toEqual(['abc', 'bca', 'cab', 'abc']);
  });

  it('is empty without libraries', () => {
    expect(orderOfRound([], 3)).toEqual([]);
  });
});
