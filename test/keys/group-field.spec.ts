import { groupField, groupLockName, partsOfGroupLock } from '../../lib/keys/group-field.js';

describe('The field of a value in a group', () => {
  it.each([
    ['', 't6rZwibGo2uy1OSmNVe8pg'],
    ['a', 'qwvAS12pR0CgRitaypEjUw'],
    ['Jack_001', '7pNoDdizVy2xY792MaFv+w'],
    ['Mary_002', 'kIX2DFOX4IWct7G7K6tV9A'],
    ['0123456789abcdef', '5qUj4dpRCsa+LSow2X8w7w'],
    ['0123456789abcdef0123', 'tv0SvFsC3E0Z8NdtLRVuPA'],
    ['größe-40', 'Ih6X16fp914/zsRLl60CTQ'],
    ['0123456789abcdef0123456789abcdef', '08hr0B8iaf3PoSsWAS8sWA'],
    ['0123456789abcdef0123456789abcdef0123', '5UDV1bwGJvbjeNbqmWqQFQ'],
  ])('of %p is that of a peer', (value, field) => {
    expect(groupField(value)).toBe(field);
  });

  it('is another for each length and content', () => {
    const values = Array.from({ length: 100 }, (_, length) => ['x'.repeat(length), `${'x'.repeat(length)}y`]).flat();
    expect(new Set(values.map(groupField)).size).toBe(new Set(values).size);
  });

  it('is found again in the name of a lock of any group', () => {
    const fields = [groupField('a'), groupField('b')];
    expect(partsOfGroupLock(groupLockName('orders[1],2', fields))).toEqual({ group: 'orders[1],2', fields });
  });
});
