import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { compareTogether, KINDS, SPECS } from './comparison.js';

describe('The specs that compare kinds', () => {
  it('leave no kind out, and compare none twice', () => {
    expect(Object.values(SPECS).flat(2).toSorted()).toEqual(KINDS.toSorted());
  });

  it('are those that have kinds', () => {
    const files = readdirSync(__dirname).filter((file) => file.endsWith('.spec.ts'));
    const specs = files.filter((file) => readFileSync(join(__dirname, file), 'utf8').includes('\ncompareKindsOf('));
    expect(specs.map((file) => basename(file, '.spec.ts')).toSorted()).toEqual(Object.keys(SPECS).toSorted());
  });
});

compareTogether();
