// Builds dist/lib. Ends at once if neither what it is made of nor what was made has changed since the last time.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const record = join(root, 'dist/lib.sha256');
const madeOf = ['lib', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** The files of a folder, or the file. */
const filesIn = (path) => {
  const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
};

const hashOf = (paths) => {
  const hash = createHash('sha256');
  for (const path of paths) {
    const files = /\.json$/.test(path) ? [join(root, path)] : filesIn(path).toSorted();
    for (const file of files)
      hash
        .update(`${file.slice(root.length)}\0`)
        .update(readFileSync(file))
        .update('\0');
  }
  return hash.digest('hex');
};

const isUpToDate = () => {
  try {
    return readFileSync(record, 'utf8') === hashOf([...madeOf, 'dist/lib']);
  } catch {
    // There is no dist/ yet, or only a part of it.
    return false;
  }
};

if (!isUpToDate()) {
  const run = (...args) => {
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  };
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  for (const tool of ['embed-scripts', 'translate-scripts', 'embed-page']) run(join(root, `tools/${tool}.mjs`));
  run('node_modules/@typescript/native/bin/tsc', '-p', 'tsconfig.build.json');
  run(join(root, 'tools/bundle.mjs'));
  writeFileSync(record, hashOf([...madeOf, 'dist/lib']));
}
