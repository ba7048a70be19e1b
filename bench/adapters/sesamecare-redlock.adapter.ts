import { loadPeer } from './load-peer.js';
import { redlock5Adapter, type RedlockClass } from './redlock5-family.js';

const NAME = '@sesamecare-oss/redlock';

export const sesamecareRedlock = redlock5Adapter(
  NAME,
  () => (loadPeer(NAME) as { readonly Redlock: RedlockClass }).Redlock,
);
