import { LabelSets, type LockLabels, OTHER_TEMPLATES } from '../../lib/integrations/metrics/label-sets.js';

const setsUpTo = (limit: number): LabelSets<LockLabels> => new LabelSets(limit, (labels) => labels);

describe('The sets of labels', () => {
  it('are one for each connection, kind and template', () => {
    const sets = setsUpTo(10);
    const seen = [
      sets.of('default', 'reentrant', 'order:<0>'),
      sets.of('default', 'fair', 'order:<0>'),
      sets.of('billing', 'fair', 'order:<0>'),
      sets.of('billing', 'fair', 'stock:<0>'),
      sets.of('default', 'reentrant', 'order:<0>'),
    ];
    expect(seen[4]).toBe(seen[0]);
    expect([...sets]).toEqual([
      { connection: 'default', kind: 'reentrant', template: 'order:<0>' },
      { connection: 'default', kind: 'fair', template: 'order:<0>' },
      { connection: 'billing', kind: 'fair', template: 'order:<0>' },
      { connection: 'billing', kind: 'fair', template: 'stock:<0>' },
    ]);
  });

  it('have one template for all names without any', () => {
    const sets = setsUpTo(10);
    expect(sets.of('default', 'read', undefined)).toBe(sets.of('default', 'read', undefined));
    expect([...sets]).toEqual([{ connection: 'default', kind: 'read', template: '(none)' }]);
  });

  it('stay at their limit with 100,000 templates, and one more for each kind', () => {
    const sets = setsUpTo(500);
    for (let index = 0; index < 100_000; index += 1) sets.of('default', index % 2 ? 'read' : 'write', `${index}:<0>`);
    const all = [...sets];
    expect(all).toHaveLength(502);
    expect(all.filter(({ template }) => template === OTHER_TEMPLATES).map(({ kind }) => kind)).toEqual([
      'write',
      'read',
    ]);
    expect(sets.of('default', 'read', '99999:<0>').template).toBe('(other)');
    expect(sets.of('default', 'write', '0:<0>').template).toBe('0:<0>');
  });
});
