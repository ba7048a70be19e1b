// Bundles the command line into dist/cli.js: one file with its argument parser inside, so that users who never run it
// install nothing for it. What an application has anyway, the peers of the package, is imported from there.
import { build } from 'esbuild';
import { chmodSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const { version, peerDependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
const output = fileURLToPath(new URL('dist/cli.js', root));

await build({
  absWorkingDir: fileURLToPath(root),
  entryPoints: ['lib/cli/main.ts'],
  outfile: output,
  bundle: true,
  platform: 'node',
  format: 'esm',
  // The oldest that package.json allows.
  target: 'node20.19',
  external: Object.keys(peerDependencies).flatMap((name) => [name, `${name}/*`]),
  define: { PACKAGE_VERSION: JSON.stringify(version) },
  // The argument parser is CommonJS and requires modules of Node.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  // Names stay, for stack traces in reports.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'inline',
  logLevel: 'warning',
});
chmodSync(output, 0o755);
