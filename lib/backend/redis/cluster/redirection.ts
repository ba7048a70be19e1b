/** Where a server sends whoever asks it for a key. */
export type Redirection =
  /** For good: the slot is served there. */
  | { readonly kind: 'moved'; readonly slot: number; readonly host: string; readonly port: number }
  /** For this key, this time: it is on its way there. */
  | { readonly kind: 'ask'; readonly host: string; readonly port: number }
  /** Nowhere yet: some of the keys are on their way. Nothing was done. */
  | { readonly kind: 'try-again' };

const ELSEWHERE = /\b(MOVED|ASK) (\d+) (\S*):(\d+)/;
/** The second is what a script gets that touches a key beside those it declared; what it did before can be done again. */
const TRY_AGAIN = /\bTRYAGAIN\b|attempted to access a non local key/;

/** What a failed command says about where to go instead, if anything. */
export const redirectionIn = (error: unknown): Redirection | undefined => {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error) || cause.name !== 'ReplyError') return undefined;
  if (TRY_AGAIN.test(cause.message)) return { kind: 'try-again' };
  const [, word, slot, host = '', port] = ELSEWHERE.exec(cause.message) ?? [];
  if (word === undefined) return undefined;
  if (word === 'ASK') return { kind: 'ask', host, port: Number(port) };
  return { kind: 'moved', slot: Number(slot), host, port: Number(port) };
};
