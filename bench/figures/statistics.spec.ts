import { jain, median, percentile, spreadOf } from './statistics.js';

describe('percentile', () => {
  it('is the smallest value that the share does not exceed', () => {
    const values = [5, 1, 4, 2, 3];
    expect(percentile(values, 0.5)).toBe(3);
    expect(percentile(values, 0.99)).toBe(5);
    expect(percentile(values, 0)).toBe(1);
    expect(percentile([10, 20], 0.5)).toBe(10);
  });

  it('is not a number without values', () => {
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('median', () => {
  it('is the middle, or between the two in the middle', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 2, 100])).toBe(3);
    expect(median([])).toBeNaN();
  });
});

describe('jain', () => {
  it('is 1 if all get the same, and 1/n if one gets all', () => {
    expect(jain([7, 7, 7, 7])).toBe(1);
    expect(jain([12, 0, 0, 0])).toBe(0.25);
  });

  it('is not a number without grants', () => {
    expect(jain([0, 0])).toBeNaN();
  });
});

describe('spreadOf', () => {
  it('leaves out missing measurements', () => {
    expect(spreadOf([3, Number.NaN, 1])).toEqual({ median: 2, min: 1, max: 3 });
    expect(spreadOf([Number.NaN])).toBeUndefined();
  });
});
