import { createRequire } from 'node:module';

const require = createRequire(new URL('../package.json', import.meta.url));

/**
 * Loads a package of the benchmark's own. The package need not be installed to compile this, so the caller declares the
 * type that it uses.
 */
export function loadPeer(name: string): unknown {
  return require(name);
}
