import { createRequire } from 'node:module';

const require = createRequire(new URL('../package.json', import.meta.url));

/**
 * A package of the benchmark's own, which need not be installed where this is only compiled: the caller says what of its
 * shape it uses.
 */
export function loadPeer(name: string): unknown {
  return require(name);
}
