// The package is ESM; this file tells Node, and TypeScript, that the files below dist/cjs are not.
import { writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist/cjs/package.json', import.meta.url), '{ "type": "commonjs" }\n');
