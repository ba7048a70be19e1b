import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PAGE } from '../../lib/integrations/dashboard/page.generated.js';

const ROOT = resolve(__dirname, '../..');
const tool = join(ROOT, 'tools/embed-page.mjs');

const embed = (...args: string[]) => {
  const { status, stderr } = spawnSync(process.execPath, [tool, ...args], { encoding: 'utf8' });
  return { status, stderr };
};

describe('The embedded page', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'page-'));
    cpSync(join(ROOT, 'lib/integrations/dashboard/page'), join(folder, 'page'), { recursive: true });
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is what its files say', () => {
    expect(embed('--check')).toEqual({ status: 0, stderr: '' });
  });

  it('has the hashes of its script and of its style', () => {
    const hashOf = (tag: string): string => {
      const [, text = ''] = new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 's').exec(PAGE.html) ?? [];
      return `sha256-${createHash('sha256').update(text).digest('base64')}`;
    };
    expect([PAGE.scriptHash, PAGE.styleHash]).toEqual([hashOf('script'), hashOf('style')]);
  });

  it('is out of date as soon as one of its files changes', () => {
    expect(embed(folder).status).toBe(0);
    expect(embed(folder, '--check').status).toBe(0);
    const before = readFileSync(join(folder, 'page.generated.ts'), 'utf8');
    appendFileSync(join(folder, 'page/page.css'), 'p { color: red }');
    expect(embed(folder, '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm run page:embed'),
    });
    expect(readFileSync(join(folder, 'page.generated.ts'), 'utf8')).toBe(before);
    expect(embed(folder).status).toBe(0);
    expect(embed(folder, '--check').status).toBe(0);
  });

  it('is refused without the place of its token', () => {
    const file = join(folder, 'page/index.html');
    writeFileSync(file, readFileSync(file, 'utf8').replace('TOKEN-OF-THE-PAGE', ''));
    expect(embed(folder)).toMatchObject({ status: 1, stderr: expect.stringContaining('TOKEN-OF-THE-PAGE once') });
  });
});
