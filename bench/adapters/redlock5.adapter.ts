import { loadPeer } from './load-peer.js';
import { redlock5Adapter, type RedlockClass } from './redlock5-family.js';

export const redlock5 = redlock5Adapter(
  'redlock 5 beta',
  () => (loadPeer('redlock5') as { readonly default: RedlockClass }).default,
);
