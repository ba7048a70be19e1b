import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = ['lib', 'tools', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'tsconfig.build.cjs.json'];

/** The file that a build of the commit has for CommonJS. It is in node_modules, where it finds the packages it needs. */
export const earlierEntry = (commit: string): string => join(folderOf(commit), 'dist/cjs/index.js');

const folderOf = (commit: string): string => join(root, 'node_modules/.cache/nest-redis-lock-bench', commit);

/** Builds this library as it was at a commit, unless that was done before. */
export function buildEarlier(commit: string): void {
  if (existsSync(earlierEntry(commit))) return;
  // Below node_modules, TypeScript would ignore the module format that the settings ask for.
  const workplace = mkdtempSync(join(tmpdir(), 'earlier-build-'));
  const archive = execFileSync('git', ['archive', commit, ...SOURCES], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x'], { cwd: workplace, input: archive });
  symlinkSync(join(root, 'node_modules'), join(workplace, 'node_modules'));
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', 'tsconfig.build.cjs.json'], { cwd: workplace, stdio: 'inherit' });
  execFileSync(process.execPath, ['tools/mark-cjs.mjs'], { cwd: workplace, stdio: 'inherit' });
  cpSync(join(workplace, 'dist'), join(folderOf(commit), 'dist'), { recursive: true });
  rmSync(workplace, { recursive: true });
}
