import { type Script, scriptHash } from '../../../lib/backend/scripts/script.js';
import type { CommandPredicate } from './fault-proxy.js';

/** Matches requests that run one of these scripts. */
export const runs = (...wanted: readonly Script[]): CommandPredicate => {
  const hashes = wanted.map(({ text }) => scriptHash(text));
  return (command) => {
    const text = command.toString('latin1').toLowerCase();
    return text.includes('evalsha') && hashes.some((hash) => text.includes(hash));
  };
};
