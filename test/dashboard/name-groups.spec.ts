import { NameGroups } from '../../lib/integrations/dashboard/recent-use.js';

describe('The group of a name', () => {
  it.each([
    ['order:42', 'order:…'],
    ['order:42:items', 'order:…:items'],
    ['orders:berlin', 'orders:…'],
    ['sale', 'sale'],
    ['sale2', 'sale2'],
    ['', ''],
    ['a:b:c', 'a:b:…'],
    ['x'.repeat(500), `${'x'.repeat(80)}…`],
  ])('%j without a template is %j', (name, title) => {
    expect(new NameGroups('').titleOf(name)).toBe(title);
  });

  it('is the template that fits it with most text', () => {
    const groups = new NameGroups('');
    for (const template of ['<0>', 'order:<0>', 'order:<0>:items', 'order:<0.id>:<1>:items']) groups.learn(template);
    expect(groups.titleOf('order:7')).toBe('order:<0>');
    expect(groups.titleOf('order:7:items')).toBe('order:<0>:items');
    expect(groups.titleOf('order:7:8:items')).toBe('order:<0.id>:<1>:items');
    expect(groups.titleOf('else')).toBe('<0>');
  });

  it('needs a value in each place', () => {
    const groups = new NameGroups('');
    groups.learn('order:<0>:of:<1>:end');
    expect(groups.titleOf('order:a:of:b:end')).toBe('order:<0>:of:<1>:end');
    expect(groups.titleOf('order::of:b:end')).toBe('order::of:b:…');
    expect(groups.titleOf('order:a:of::end')).toBe('order:a:of::…');
    expect(groups.titleOf('order:a:of:end')).toBe('order:a:of:…');
  });

  it('is found in a long hostile name without searching it again and again', () => {
    const groups = new NameGroups('');
    groups.learn(Array.from({ length: 20 }, () => '<0>').join('a'));
    const started = process.cpuUsage();
    for (let n = 0; n < 1000; n += 1) groups.titleOf(`${'a'.repeat(500)}b`);
    const { user } = process.cpuUsage(started);
    expect(user).toBeLessThan(5_000_000);
  });

  it('D66: is that of the job for a tick of @LockedCron', () => {
    const groups = new NameGroups('');
    expect(groups.titleOf('nightly@2026-11-24T02:00:00.000Z')).toBe('nightly@<tick>');
    expect(groups.titleOf('report:7@2026-11-24T02:00:10.000Z')).toBe('report:7@<tick>');
    expect(groups.titleOf('at:2026-11-24T02:00:10.000Z')).toBe('at:…:…:…');
  });

  it('does not depend on the prefix of keys', () => {
    const groups = new NameGroups('shop:');
    expect(groups.nameOf('shop:order:7')).toBe('order:7');
    expect(groups.nameOf('other:7')).toBe('other:7');
  });

  it('is remembered for the first 200 templates', () => {
    const groups = new NameGroups('');
    for (let n = 0; n < 300; n += 1) groups.learn(`t${n}:<0>`);
    expect(groups.titleOf('t199:x')).toBe('t199:<0>');
    expect(groups.titleOf('t200:x')).toBe('…:x');
  });
});
