import { formatValue } from '../../validation/format-value.js';
import { contradiction, invalidOption, parseFlag } from '../../validation/options.js';

/** The kinds that `kind` names. */
export type KindName = 'reentrant' | 'fair' | 'fenced' | 'spin' | 'nonReentrant' | 'redlock';

interface KindChoice {
  /**
   * `reentrant` (default): the plain lock (Redisson: `getLock`). `fair`: first come, first served across all processes.
   * `fenced`: the hold carries a fencing token. `spin`: waiters poll instead of subscribing. `nonReentrant`: its owner
   * cannot acquire it twice; may be fair. `redlock`: on a quorum of the independent servers of the module's `redlock`
   * option. As by `getLock`, `getFairLock`, `getFencedLock`, `getSpinLock`, `getNonReentrantLock` and `getRedLock(name)`.
   */
  readonly kind?: KindName | undefined;
  /**
   * `exclusive` (default): one holder. `read` and `write`: the halves of the read-write lock of that name; many readers
   * or one writer (Redisson: `getReadWriteLock`).
   */
  readonly mode?: 'exclusive' | 'read' | 'write' | undefined;
  /**
   * With `mode: 'read'` or `'write'`. `writer`: a waiting writer keeps new readers out, as by
   * `getReadWriteLock(name, { preference })`; readers and writers must both give it. Default: new readers join current
   * readers even if a writer waits.
   */
  readonly preference?: 'writer' | undefined;
  /** `true`: the same as `kind: 'fair'`; with `kind: 'nonReentrant'`, its fair variant. Default: false. */
  readonly fair?: boolean | undefined;
  /** `true`: the same as `kind: 'fenced'`, with the token as `hold.fence`. Default: false. */
  readonly fenced?: boolean | undefined;
}

type Exclusive = KindChoice & { readonly mode?: 'exclusive' | undefined; readonly preference?: undefined };
type WithoutKind = KindChoice & { readonly kind?: undefined };
type Unfair = { readonly fair?: false | undefined };
type Unfenced = { readonly fenced?: false | undefined };

/** The kind of lock behind a name. Default: the plain one. At most one of fair, fenced, read or write, and `kind`. */
export type LockKindOptions =
  | (WithoutKind & Exclusive & Unfenced)
  | (WithoutKind & Exclusive & Unfair)
  | (WithoutKind & Unfair & Unfenced & { readonly preference?: undefined })
  | (WithoutKind & Unfair & Unfenced & { readonly mode: 'read' | 'write' })
  | (Exclusive & { readonly fair?: undefined; readonly fenced?: undefined })
  | (Exclusive & Unfair & Unfenced & { readonly kind: Exclude<KindName, 'fair' | 'fenced'> })
  | (Exclusive & Unfenced & { readonly kind: 'fair'; readonly fair: true })
  | (Exclusive & Unfair & { readonly kind: 'fenced'; readonly fenced: true })
  | (Exclusive & Unfenced & { readonly kind: 'nonReentrant' });

/** The kinds that options can select. */
export type ChosenKind =
  | 'plain'
  | 'fair'
  | 'fenced'
  | 'spin'
  | 'nonReentrant'
  | 'nonReentrantFair'
  | 'quorum'
  | 'read'
  | 'write'
  | 'readBehindWriters'
  | 'writeFirst';

const EXCLUSIVE_KINDS: ReadonlyMap<unknown, ChosenKind> = new Map<KindName, ChosenKind>([
  ['reentrant', 'plain'],
  ['fair', 'fair'],
  ['fenced', 'fenced'],
  ['spin', 'spin'],
  ['nonReentrant', 'nonReentrant'],
  ['redlock', 'quorum'],
]);

/** The option names that choose a kind. */
export const KIND_OPTIONS = ['kind', 'mode', 'preference', 'fair', 'fenced'] as const;

/**
 * @param given The caller's options, unchecked.
 * @throws LockOptionsError that names option and value, or both options if they contradict each other.
 */
export const parseKind = (given: Partial<Record<keyof KindChoice, unknown>>): ChosenKind => {
  const { kind, mode = 'exclusive', preference } = given;
  const [fair, fenced] = [parseFlag(given.fair, 'fair'), parseFlag(given.fenced, 'fenced')];
  if (mode !== 'exclusive' && mode !== 'read' && mode !== 'write') {
    throw invalidOption('mode', mode, '"exclusive", "read" or "write"');
  }
  if (preference !== undefined && preference !== 'writer') throw invalidOption('preference', preference, '"writer"');
  const chosen = kind === undefined ? undefined : parseKindName(kind);
  if (fair && fenced) throw contradiction('fair', 'fenced', 'no lock is both');
  if (mode !== 'exclusive') {
    if (chosen)
      throw contradiction(`kind "${String(kind)}"`, `mode "${mode}"`, 'a read-write lock is a kind of its own');
    if (fair) throw contradiction('fair', `mode "${mode}"`, 'a read-write lock has no queue');
    if (fenced) throw contradiction('fenced', `mode "${mode}"`, 'a read-write lock has no fencing tokens');
    if (!preference) return mode;
    return mode === 'read' ? 'readBehindWriters' : 'writeFirst';
  }
  if (preference)
    throw contradiction('preference', 'mode "exclusive"', 'only a read-write lock has writers and readers');
  if (chosen) return parseVariant(given, chosen);
  if (fair) return 'fair';
  return fenced ? 'fenced' : 'plain';
};

const parseKindName = (kind: unknown): ChosenKind => {
  const chosen = EXCLUSIVE_KINDS.get(kind);
  if (chosen) return chosen;
  throw invalidOption('kind', kind, '"reentrant", "fair", "fenced", "spin", "nonReentrant" or "redlock"');
};

/** `fair` and `fenced` may repeat what `kind` says, but not change it; a non-reentrant lock may be fair. */
const parseVariant = (
  { kind, fair, fenced }: Partial<Record<keyof KindChoice, unknown>>,
  chosen: ChosenKind,
): ChosenKind => {
  const named = `kind "${String(kind)}"`;
  if (chosen === 'nonReentrant' && fair === true && fenced !== true) return 'nonReentrantFair';
  if (fair !== undefined && fair !== (chosen === 'fair')) {
    throw contradiction(`fair: ${formatValue(fair)}`, named, 'the kind says already whether the lock is fair');
  }
  if (fenced !== undefined && fenced !== (chosen === 'fenced')) {
    throw contradiction(`fenced: ${formatValue(fenced)}`, named, 'the kind says already whether holds carry a token');
  }
  return chosen;
};
