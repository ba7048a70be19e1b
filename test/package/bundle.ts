import { build } from 'esbuild';
import { join } from 'node:path';
import { runTimed } from './run-timed.js';

/** What Nest requires only if an application uses it. */
const OPTIONAL = ['@nestjs/microservices', '@nestjs/websockets', 'class-transformer', 'class-validator'];

/** ioredis is CommonJS, and requires modules of Node, which an ES module has to make possible. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/** Bundles a program and all it depends on into one file of the same module system, and runs that. */
export const runBundled = async (place: string, program: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const isEsm = program.endsWith('.mjs');
  const outfile = join(place, `bundled-${program}`);
  await build({
    absWorkingDir: place,
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: isEsm ? 'esm' : 'cjs',
    ...(isEsm && { banner: { js: REQUIRE } }),
    external: OPTIONAL.flatMap((name) => [name, `${name}/*`]),
    logLevel: 'error',
  });
  runTimed(process.execPath, [outfile], place, env);
};
