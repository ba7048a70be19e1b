import { type Script, scriptHash } from '../../../lib/backend/scripts/script.js';
import type { CommandPredicate } from './fault-proxy.js';

/** Matches requests that run one of these scripts. */
export const runs = (...wanted: readonly Script[]): CommandPredicate => {
  // The first call on a connection sends the whole script.
  const sent = wanted.flatMap(({ text }) => [scriptHash(text), text.toLowerCase()]);
  return (command) => {
    const text = command.toString('latin1').toLowerCase();
    return text.includes('eval') && sent.some((each) => text.includes(each));
  };
};
