/**
 * What the compiler says of options that contradict each other. Nothing here runs: the check is `npm run typecheck`,
 * where a call of `says` with another sentence is an error.
 */
import type { LockedOptions, LockOptions, WithLockOptions } from 'nest-redis-lock';
import type { LockHandlerOptions, ManualLockOptions } from 'nest-redis-lock/advanced';
import { lockHandler, Locked, type LockService } from 'nest-redis-lock';
import type { CheckOptions } from '../../lib/decorators/locked.types.js';
import type { CheckLockOptions } from '../../lib/locks/options/lock.options.js';
import type { Refused } from '../../lib/validation/refused.js';

declare const locks: LockService;
declare const flag: boolean;
declare const mode: 'exclusive' | 'read' | 'write';
declare const ours: LockOptions;
declare const work: LockOptions & WithLockOptions;
declare const locked: LockedOptions;
declare const handled: LockHandlerOptions;
declare const untyped: any; // oxlint-disable-line typescript/no-explicit-any -- among what is checked

type Same<A, B> = [A, B] extends [B, A] ? true : false;
type Sentence<Check> = Check extends Refused<infer Why> ? Why : 'accepted';

/** Fails to compile unless `@Locked` is refused with this sentence. */
const says = <const O extends object, const Why extends string>(
  _options: O,
  _why: Why & (Same<Why, Sentence<CheckOptions<O>>> extends true ? unknown : never),
): void => {};

/** As {@link says}, and `acquire` with the same options. */
const bothSay = <const O extends object, const Why extends string>(
  _options: O,
  _why: Why & (Same<Why, Sentence<CheckOptions<O>> | Sentence<CheckLockOptions<O>>> extends true ? unknown : never),
): void => {};

export const sentences = (): void => {
  const replaced =
    'only plain and fenced locks are taken over: without kind, mode, preference, fair, limit and permits';
  says({ onConflict: 'replace', fair: true }, replaced);
  says({ onConflict: 'replace', kind: 'redLock' }, replaced);
  says({ onConflict: 'replace', limit: 3 }, replaced);
  says({ onConflict: 'replace', permits: 3 }, replaced);
  bothSay({ fair: true, fenced: true }, 'no lock is both fair and fenced');
  bothSay({ mode: 'read', kind: 'spin' }, 'a read-write lock is a kind of its own: give mode or kind');
  bothSay({ mode: 'write', fair: true }, 'a read-write lock has no queue: mode and fair exclude each other');
  bothSay(
    { mode: 'read', fenced: true },
    'a read-write lock has no fencing tokens: mode and fenced exclude each other',
  );
  const preference = 'only a read-write lock has a preference: give mode "read" or "write"';
  bothSay({ preference: 'writer' }, preference);
  bothSay({ preference: 'writer', mode: 'exclusive' }, preference);
  bothSay({ kind: 'spin', fair: true }, 'waiters of this kind have no order: kind and fair exclude each other');
  bothSay({ kind: 'redLock', fair: true }, 'waiters of this kind have no order: kind and fair exclude each other');
  const noTokens = 'holds of this kind have no fencing tokens: kind and fenced exclude each other';
  bothSay({ kind: 'nonReentrant', fenced: true }, noTokens);
  const renewed = 'a hold with a lease is renewed, up to maxHold, only with renew: true';
  bothSay({ lease: '10s', maxHold: '1m' }, renewed);
  bothSay({ lease: '10s', maxHold: '1m', renew: false }, renewed);
  bothSay({ renew: false }, 'a hold that is not renewed needs a lease');
  bothSay({ lease: '10s', leese: 1 }, 'there is no option "leese"');
  bothSay({ kind: 'nonReentrant', fair: true }, 'accepted');
  bothSay({ mode: 'read', preference: 'writer', lease: '10s', renew: true, maxHold: '1m' }, 'accepted');

  // `withLock` and `@Locked` have no owner, but a call that has one is told more than that.
  const acquireSays = <const O extends object, const Why extends string>(
    _options: O,
    _why: Why & (Same<Why, Sentence<CheckLockOptions<O, ManualLockOptions>>> extends true ? unknown : never),
  ): void => {};
  const noOwner =
    'a lock of an owner is a plain or fenced one with a lease: without kind, mode, preference, fair, limit, renew and maxHold';
  acquireSays({ owner: 'user:7', lease: '2m', fair: true }, noOwner);
  acquireSays({ owner: 'user:7', lease: '2m', limit: 3 }, noOwner);
  acquireSays({ owner: 'user:7', lease: '2m', renew: true }, noOwner);
  acquireSays({ owner: 'user:7' }, 'a lock of an owner is not renewed, so it needs a lease');
  acquireSays({ owner: 'user:7', lease: '2m', fenced: true, wait: 0 }, 'accepted');
  acquireSays(
    { owner: 'user:7', lease: '2m', note: 'Anna' },
    'a lock of an owner has no record of its holder, and so no note',
  );
  const noNotes = 'locks of this kind have no records of their holders, and so no notes';
  acquireSays({ kind: 'redLock', note: 'Anna' }, noNotes);
  acquireSays({ kind: 'spin', note: 'Anna' }, 'accepted');
  acquireSays({ limit: 3, fair: true, note: 'Anna' }, 'accepted');
  // A record of a locked method has its name.
  says({ note: 'Anna' }, 'there is no option "note"');
  bothSay({ owner: 'user:7', lease: '2m' }, 'there is no option "owner"');
  const noLimit = 'a limit is a kind of its own, with several holders: without kind, mode, preference and fenced';
  bothSay({ limit: 3, fair: true, lease: '10s' }, 'accepted');
  bothSay({ limit: 3, kind: 'spin' }, noLimit);
  bothSay({ limit: 3, mode: 'read' }, noLimit);
  bothSay({ limit: 3, preference: 'writer' }, noLimit);
  bothSay({ limit: 3, fenced: true }, noLimit);
  says({ limit: 3, fair: true, lease: '10s', holdAtLeast: '1s' }, 'accepted');
  const noPermits = 'permits are those of a semaphore: without limit, holdAtLeast, and options of kinds and leases';
  says({ permits: 1, limit: 1 }, noPermits);
  says({ permits: 1, kind: 'spin' }, noPermits);
  says({ permits: 1, mode: 'read' }, noPermits);
  says({ permits: 1, preference: 'writer' }, noPermits);
  says({ permits: 1, fair: false }, noPermits);
  says({ permits: 1, fenced: true }, noPermits);
  says({ permits: 1, lease: '10s' }, noPermits);
  says({ permits: 1, renew: true }, noPermits);
  says({ permits: 1, maxHold: '10s' }, noPermits);
  says({ permits: 1, holdAtLeast: '10s' }, noPermits);
  says({ permits: 1, wait: 0, onConflict: 'skip' }, 'accepted');
  // @ts-expect-error another sentence
  says({ fair: true, fenced: true }, 'accepted');
};

export const refused = (): void => {
  // @ts-expect-error a RedLock has no records
  void locks.acquire('n', { kind: 'redLock', note: 'Anna' });
  // @ts-expect-error no lock is both
  void locks.tryAcquire('n', { fair: true, fenced: true });
  // @ts-expect-error no lock is both
  void locks.withLock('n', { fair: true, fenced: true, onConflict: 'skip' }, () => 1);
  // @ts-expect-error neither renewed nor with an end
  void locks.withLock('n', { limit: 3, renew: false }, () => 1);
  // @ts-expect-error a limit has no kind
  void locks.withLock('n', { limit: 3, kind: 'spin' }, () => 1);
  // @ts-expect-error no lock is both
  lockHandler(() => 'n', { fair: true, fenced: true });
  lockHandler(() => 'n', { onConflict: 'replace', fenced: true, wait: '2s' });
  // @ts-expect-error only plain and fenced locks are taken over
  lockHandler(() => 'n', { onConflict: 'replace', mode: 'read' });
  // @ts-expect-error a handler has no arguments that a signal is found among
  lockHandler(() => 'n', { signal: () => undefined });
};

export class RefusedOptions {
  // @ts-expect-error no such option, beside one that exists
  @Locked('order:<0>', { lease: '30s', leese: '30s' })
  async option(_id: string): Promise<void> {}

  // @ts-expect-error no lock is both, by a key function
  @Locked((id: string) => id, { fair: true, fenced: true })
  async byFunction(_id: string): Promise<void> {}
}

/** Values that are known only at run time are checked there. */
export const accepted = (): void => {
  void locks.acquire('n', ours);
  void locks.acquire('n', flag ? ours : undefined);
  void locks.acquire('n', { ...ours, wait: 0 });
  void locks.acquire('n', { fair: flag, fenced: flag });
  void locks.acquire('n', { mode, fair: flag });
  void locks.tryAcquire('n', { lease: '10s', renew: flag, maxHold: '1m' });
  void locks.tryAcquire('n', untyped);
  void locks.withLock('n', work, () => 1);
  void locks.withLock('n', { fair: untyped, fenced: true }, () => 1);
  lockHandler(() => 'n', handled);
};

export class Accepted {
  @Locked('order', locked)
  async inAVariable(): Promise<void | undefined> {}

  @Locked('order', { fair: flag, fenced: flag })
  async flags(): Promise<void> {}

  @Locked('order', untyped)
  async untyped(): Promise<void> {}
}
