import { createHash } from 'node:crypto';

const hashes = new Map<string, string>();

/** What EVALSHA knows a script by. */
export const scriptHash = (text: string): string => {
  let hash = hashes.get(text);
  if (hash === undefined) {
    hash = createHash('sha1').update(text).digest('hex');
    hashes.set(text, hash);
  }
  return hash;
};
