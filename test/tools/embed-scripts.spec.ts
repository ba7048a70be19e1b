import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const tool = fileURLToPath(new URL('../../tools/embed-scripts.mjs', import.meta.url));

function embed(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [tool, ...args], { encoding: 'utf8' });
  return { status, stderr };
}

const SHARED = {
  'shared/now.lua': "--- include shared/clock.lua\n-- why\nlocal function now() return clock('TIME') end\n",
  'shared/clock.lua': 'local clock = redis.call\n',
};

const GOOD = `--- Gives everybody a share,
--- and says who came.
--- key total
--- arg who: string
--- arg share: number
--- args others: number
--- reply [outcome: 'given' | 'empty',
---   ...others: number[]]
--- invariant The total never
---   falls below nothing.
--- include shared/now.lua
-- KEYS may be named in a comment, and so may ARGV.
local left = redis.call('DECRBY', total, share) -- trailing

redis.call('PUBLISH', who, 'KEYS \\\\ \`\${now}\`')
return { 'given', left, now(), unpack(others) }
`;

const BAD: [what: string, text: string, problem: string][] = [
  ['a key without use', GOOD.replace('total, share', "'x', share"), "3: 'total' is declared and never used"],
  ['an argument that only a string names', GOOD.replace('who,', "'who',"), "4: 'who' is declared and never used"],
  ['KEYS in the body', GOOD.replace('total, share', 'KEYS[1], total, share'), '13: KEYS in the body'],
  ['ARGV in the body', GOOD.replace('total, share', 'total, ARGV[2] or share'), '13: ARGV in the body'],
  ['no purpose', GOOD.replace(/^(.*\n){2}/, ''), '1: the header does not say what the script is for'],
  ['no reply', GOOD.replace(/--- reply.*\n.*\n/, ''), "1: the header has no 'reply' line"],
  ['a reply that is no tuple', GOOD.replace('reply [', 'reply ('), '7: the reply is neither a tuple'],
  ['an argument without type', GOOD.replace('who: string', 'who'), "4: 'arg who' is not of the form"],
  ['an unknown type', GOOD.replace('who: string', 'who: boolean'), "4: 'arg who: boolean' is not of the form"],
  ['a name declared twice', GOOD.replace('arg who', 'arg total'), "4: 'total' is declared twice"],
  ['a reserved name', GOOD.replace('arg who', 'arg end'), "4: 'end' cannot be the name"],
  ['an argument behind the rest', GOOD.replace('arg share', 'args share'), "6: 'others' comes after 'share'"],
  ['all keys beside one', GOOD.replace('--- arg who', '--- keys all\n--- arg who'), "4: 'keys all' cannot stand"],
  ['an unknown word', GOOD.replace('invariant', 'invaraint'), "9: 'invaraint' is not a word of the header"],
  [
    'something behind grants',
    GOOD.replace('--- invariant', '--- grants all\n--- invariant'),
    "9: 'all' behind 'grants'",
  ],
  ['a block comment', GOOD.replace('-- trailing', '--[[ trailing ]]'), '13: a block comment'],
  ['an include that is missing', GOOD.replace('now.lua', 'none.lua'), "11: 'shared/none.lua' does not exist"],
];

describe('embed-scripts', () => {
  let folder: string;

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  const generated = () => readFileSync(join(folder, 'scripts.generated.ts'), 'utf8');
  const refusalOf = (file: string, text: string) => {
    write(file, text);
    const { status, stderr } = embed(folder);
    rmSync(join(folder, file));
    expect(status).toBe(1);
    return stderr.trim();
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'scripts-'));
    for (const [file, text] of Object.entries(SHARED)) write(file, text);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('has been run since the scripts of the library last changed', () => {
    expect(embed('--check')).toEqual({ status: 0, stderr: '' });
  });

  it('marks scripts that grant, and the position of the time in replies', () => {
    const text = `--- Gives a share.
--- key total
--- reply [outcome: 'given', now: number]
--- grants
return { 'given', redis.call('GET', total) }
`;
    write('fair-share/take.lua', text);
    expect(embed(folder)).toEqual({ status: 0, stderr: '' });
    expect(generated()).toContain("[{ holds: ['given'] }, { holds: 'time' }]");
    expect(generated()).toContain('grants: true');
  });

  it('turns a header into types, names into positions, and includes into text', () => {
    write('fair-share/give-out.lua', GOOD);
    expect(embed(folder)).toEqual({ status: 0, stderr: '' });
    expect(generated()).toMatchInlineSnapshot(`
     "// Written by tools/embed-scripts.mjs from the .lua files of lib/backend: edit those, then 'npm run scripts:embed'.
     import { script } from './script.js';
     /** shared/clock.lua */
     const clock = \`local clock = redis.call\`;
     /** shared/now.lua */
     const now = \`local function now() return clock('TIME') end\`;
     export const scripts = {
       fairShare: {
         /** Gives everybody a share, and says who came. */
         giveOut: script<
           { total: string },
           { who: string; share: number; others: readonly number[] },
           [outcome: 'given' | 'empty', ...others: number[]]
         >({
           name: 'fair-share/give-out',
           keyNames: ['total'],
           argumentNames: ['who', 'share', 'others'],
           replies: [[{ holds: ['given', 'empty'] }, { holds: 'number', rest: true }]],
           text: [
             \`local total = KEYS[1]
     local who = ARGV[1]
     local share = tonumber(ARGV[2])
     if not share then return redis.error_reply('ERR argument share is not a number') end
     local others = {}
     for i = 3, #ARGV do
       others[i - 2] = tonumber(ARGV[i])
       if not others[i - 2] then return redis.error_reply('ERR argument others is not a number') end
     end\`,
             clock,
             now,
             \`local left = redis.call('DECRBY', total, share) -- trailing
     redis.call('PUBLISH', who, 'KEYS \\\\\\\\ \\\`\\\${now}\\\`')
     return { 'given', left, now(), unpack(others) }\`,
           ].join('\\n'),
         }),
       },
     };
     "
    `);
  });

  it('puts an include below the header where it stands, and each file once', () => {
    const text = `--- Gives a share.
--- key total
--- reply [left: number]
--- include shared/clock.lua
if clock('EXISTS', total) == 0 then return { 0 } end
--- include shared/now.lua
return { now() }
`;
    write('fair-share/take.lua', text);
    expect(embed(folder)).toEqual({ status: 0, stderr: '' });
    const parts = ['clock,', "`if clock('EXISTS', total) == 0 then return { 0 } end`,", 'now,', '`return { now() }`,'];
    expect(generated().replace(/\s+/g, ' ')).toContain(parts.join(' '));
  });

  it('refuses an include below the header of a shared file', () => {
    write('shared/late.lua', 'local late = 1\n--- include shared/clock.lua\n');
    const text = GOOD.replace('shared/now.lua', 'shared/late.lua').replace('now()', 'late');
    expect(refusalOf('fair-share/give-out.lua', text)).toContain('shared/late.lua:2: an include below the header');
  });

  it('accepts all keys under one name', () => {
    write(
      'kind/count.lua',
      '--- Counts.\n--- keys all\n--- args marks: string\n--- reply [n: number]\nreturn { #all + #marks }\n',
    );
    expect(embed(folder).stderr).toBe('');
    expect(generated()).toContain('script<{ all: readonly string[] }, { marks: readonly string[] }, [n: number]>');
    expect(generated()).toContain('local all = KEYS\nlocal marks = {}\nfor i = 1, #ARGV do\n  marks[i] = ARGV[i]\nend');
  });

  it('lets a reply have several shapes', () => {
    const reply = "--- reply [n: number]\n--- reply [why: 'none' | 'late', n: number]\n";
    write('kind/count.lua', `--- Counts.\n--- key one\n${reply}return { redis.call("EXISTS", one) }\n`);
    expect(embed(folder).stderr).toBe('');
    expect(generated()).toContain("Record<string, never>, [n: number] | [why: 'none' | 'late', n: number]>");
    expect(generated()).toContain(
      "replies: [[{ holds: 'number' }], [{ holds: ['none', 'late'] }, { holds: 'number' }]]",
    );
  });

  it('lets a reply be one word', () => {
    write('kind/end.lua', "--- Ends.\n--- key one\n--- reply 'done'\n--- reply [n: number]\nreturn one and 'done'\n");
    expect(embed(folder).stderr).toBe('');
    expect(generated()).toContain("Record<string, never>, 'done' | [n: number]>");
    expect(generated()).toContain("replies: ['done', [{ holds: 'number' }]]");
  });

  it('accepts no argument without a declaration', () => {
    write('kind/count.lua', '--- Counts.\n--- key one\n--- reply [n: number]\nreturn { redis.call("EXISTS", one) }\n');
    embed(folder);
    expect(generated()).toContain('script<{ one: string }, Record<string, never>, [n: number]>');
  });

  it('detects a changed script with --check, and does not write the file', () => {
    write('kind/give.lua', GOOD);
    embed(folder);
    const before = generated();
    write('kind/give.lua', GOOD.replace('DECRBY', 'INCRBY'));
    expect(embed('--check', folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('scripts:embed') });
    expect(generated()).toBe(before);
  });

  it('refuses includes that go round in a circle, and positions in what is included', () => {
    write('shared/clock.lua', '--- include shared/now.lua\nlocal clock = redis.call\n');
    expect(refusalOf('kind/give.lua', GOOD)).toBe(
      'shared/clock.lua:1: a circle of includes: kind/give.lua > shared/now.lua > shared/clock.lua > shared/now.lua',
    );
    write('shared/clock.lua', 'local clock = ARGV[1]\n');
    expect(refusalOf('kind/give.lua', GOOD)).toContain('shared/clock.lua:1: ARGV in the body');
  });

  describe('of a folder with mistakes', () => {
    let problems: string[];

    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'scripts-'));
      for (const [file, text] of Object.entries(SHARED)) write(file, text);
      for (const [what, text] of BAD) write(`kind/${what.replaceAll(' ', '-')}.lua`, text);
      problems = embed(folder).stderr.trim().split('\n');
      rmSync(folder, { recursive: true });
    });

    it('names every mistake at once', () => expect(problems).toHaveLength(BAD.length));

    it.each(BAD)('refuses %s', (what, _, problem) => {
      const file = `kind/${what.replaceAll(' ', '-')}.lua:`;
      expect(problems.find((line) => line.startsWith(file))).toContain(`${file}${problem}`);
    });
  });
});
