import { isTryAgain } from '../connection/reply-errors.js';

/** Where a server sends whoever asks it for a key. */
export type Redirection =
  /** For good: the slot is served there. */
  | { readonly kind: 'moved'; readonly slot: number; readonly host: string; readonly port: number }
  /** For this key, this time: it is on its way there. */
  | { readonly kind: 'ask'; readonly host: string; readonly port: number }
  /**
   * Nowhere yet: some of the keys are on their way. Nothing was done, unless a script was broken off; what that did before
   * can be done again.
   */
  | { readonly kind: 'try-again' };

const ELSEWHERE = /\b(MOVED|ASK) (\d+) (\S*):(\d+)/;

/** What a failed command says about where to go instead, if anything. */
export const redirectionIn = (error: unknown): Redirection | undefined => {
  if (isTryAgain(error)) return { kind: 'try-again' };
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error) || cause.name !== 'ReplyError') return undefined;
  const [, word, slot, host = '', port] = ELSEWHERE.exec(cause.message) ?? [];
  if (word === undefined) return undefined;
  if (word === 'ASK') return { kind: 'ask', host, port: Number(port) };
  return { kind: 'moved', slot: Number(slot), host, port: Number(port) };
};
