// Fails when the package grows beyond its budget, or ships a source map: without the sources, which are not in the
// package, a map only causes warnings of bundlers.
import { execFileSync } from 'node:child_process';

const BUDGET = { packed: 300_000, unpacked: 1_600_000, files: 120 };

const [{ size, unpackedSize, files }] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
);
const maps = files.filter(({ path }) => path.endsWith('.map')).map(({ path }) => path);

const lines = [
  [size, BUDGET.packed, 'bytes packed'],
  [unpackedSize, BUDGET.unpacked, 'bytes unpacked'],
  [files.length, BUDGET.files, 'files'],
];
for (const [is, most, what] of lines) console.log(`${is} of at most ${most} ${what}`);
if (maps.length > 0) console.error(`Source maps in the package: ${maps.join(', ')}`);
process.exitCode = maps.length > 0 || lines.some(([is, most]) => is > most) ? 1 : 0;
