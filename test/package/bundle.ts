import { build } from 'esbuild';
import { join } from 'node:path';
import { runTimed } from './run-timed.js';

/** What Nest requires only if an application uses it. */
const OPTIONAL = ['@nestjs/microservices', '@nestjs/websockets', 'class-transformer', 'class-validator'];

/** Bundles the application and all it depends on into one file, for both module systems, and runs that. */
export const runBundled = async (place: string, application: string, env: NodeJS.ProcessEnv): Promise<void> => {
  for (const conditions of [['require'], ['module']]) {
    const outfile = join(place, `bundled-${conditions.join('-')}.cjs`);
    await build({
      absWorkingDir: place,
      entryPoints: [application],
      outfile,
      bundle: true,
      platform: 'node',
      conditions,
      external: OPTIONAL.flatMap((name) => [name, `${name}/*`]),
      logLevel: 'error',
    });
    runTimed(process.execPath, [outfile], place, env);
  }
};
