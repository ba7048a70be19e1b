import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scriptTexts } from './copies.js';
import { engineMutations, mutationsOf, placeOf } from './engine.js';
import { equivalents } from './equivalents.js';
import { changeOf, isSameChange } from './mutation.js';
import { drawn } from './sample.js';
import { probed } from './typescript-mutations.js';

const ROOT = join(__dirname, '../..');

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

describe('The mutations of a line', () => {
  it.each([
    ['a.ts', 'if (a.b) c();', ['if (!(a.b)) c();', 'if (a.b) void 0;']],
    ['a.ts', 'if (a && b < 3) return;', ['if (a || b < 3) return;', 'if (a && b <= 3) return;', 'if (a && b < 3) {}']],
    [
      'a.ts',
      'const a = () => (!b ? c - 1 : d);',
      ['const a = () => (!!(b) ? c - 1 : d);', 'const a = () => (!b ? c + 1 : d);'],
    ],
    ['a.ts', 'const a = b ?? "-";', []],
    [
      'a.lua',
      'if not a and b == 1 then return true end',
      [
        'if not a or b == 1 then return true end',
        'if not a and b ~= 1 then return true end',
        'if not not a and b == 1 then return true end',
        'if not a and b == 1 then return false end',
      ],
    ],
    ['a.lua', "  redis.call('DEL', key)", ['']],
    ['a.lua', '--- arg a and b', []],
  ])('of %s: %s', (file, line, changes) => {
    expect(mutationsOf(file, line).map((mutation) => changeOf(line, mutation).after)).toEqual(changes);
  });

  it('can be seen to be reached', () => {
    const source = 'const f = (a: number) => { if (a > 1 && a < 9) return; seen(a); };';
    const text = probed(source, mutationsOf('a.ts', source), placeOf);
    const places = [...text.matchAll(/'a\.ts:(\d+)-(\d+)'/g)].map(([, start, end]) =>
      source.slice(Number(start), Number(end)),
    );
    expect(places).toEqual(['a > 1 && a < 9', 'a > 1', 'a < 9', 'return;', 'seen(a)']);
  });
});

describe('The mutations of the engine', () => {
  const all = engineMutations(ROOT);

  it('are drawn by a seed, one of a line at most', () => {
    const sample = drawn(all, 300, 7);
    expect(drawn(all, 300, 7)).toEqual(sample);
    expect(drawn(all, 300, 8)).not.toEqual(sample);
    expect(new Set(sample.map(({ file, line }) => `${file}:${line}`)).size).toBe(300);
  });

  it('of a shared fragment of Lua change every script that includes it', () => {
    const generated = read('lib/backend/scripts/scripts.generated.ts');
    const before = scriptTexts(generated);
    const after = scriptTexts(generated.replace("redis.call('PERSIST', deadlines)", ''));
    const changed = [...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name);
    expect(changed).toEqual(expect.arrayContaining(['fair-lock/queue', 'fair-lock/leave']));
    expect(changed.filter((name) => !name.startsWith('fair-lock/'))).toEqual([]);
  });

  it('include each that is said to change nothing', () => {
    const inFile = (file: string) =>
      all.filter((mutation) => mutation.file === file).map((mutation) => changeOf(read(file), mutation));
    const unknown = equivalents.filter((each) => !inFile(each.file).some((change) => isSameChange(change, each)));
    expect(unknown).toEqual([]);
  });
});
