// Fails when the package grows beyond its budget, or ships a source map: without the sources, which are not in the
// package, a map only causes warnings of bundlers.
import { execFileSync } from 'node:child_process';

const BUDGET = { packed: 1_000_000, unpacked: 6_000_000 };

const [{ size, unpackedSize, files }] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
);
const maps = files.filter(({ path }) => path.endsWith('.map')).map(({ path }) => path);

const lines = [
  [size, BUDGET.packed, 'packed'],
  [unpackedSize, BUDGET.unpacked, 'unpacked'],
];
for (const [bytes, budget, what] of lines) console.log(`${bytes} of at most ${budget} bytes ${what}`);
if (maps.length > 0) console.error(`Source maps in the package: ${maps.join(', ')}`);
process.exitCode = maps.length > 0 || lines.some(([bytes, budget]) => bytes > budget) ? 1 : 0;
