import { runOutsideContexts } from '../context/owner-context.js';
import { LockOptionsError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import type { LockFamily, LockKind } from './lock-kind.js';
import { CallerPlaces, type CollectionListener } from './seat.js';
import { LinkedList, type ListNode } from '../linked-list.js';

/** The error for a note that no record of a holder would keep. */
export const refusedNote = (note: string, why: string): LockOptionsError =>
  new LockOptionsError(`note must be left out, but it was ${formatValue(note)}: ${why}`, {
    details: { option: 'note', value: note },
  });

/** All current grants. Each stays registered until the server has confirmed its release. */
export class GrantRegistry<G extends ListNode<G>> implements Iterable<G> {
  private readonly held = new LinkedList<G>();
  private readonly waiting = new Set<() => void>();
  private readonly collected = new FinalizationRegistry<CollectionListener>((listener) =>
    runOutsideContexts(() => listener.onCollected()),
  );
  /** The lines of code that acquire locks. */
  readonly callerPlaces = new CallerPlaces();

  get size(): number {
    return this.held.size;
  }

  add(grant: G): void {
    this.held.append(grant);
  }

  delete(grant: G): void {
    if (!this.held.delete(grant) || this.held.size > 0) return;
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  /** Tells `listener` once nothing refers to a hold any more. */
  whenCollected(hold: object, listener: CollectionListener): void {
    this.collected.register(hold, listener, hold);
  }

  /** Ends {@link whenCollected}: a listener that refers to its hold would keep it for ever. */
  ignoreCollected(hold: object): void {
    this.collected.unregister(hold);
  }

  /** Called when the server has confirmed the lease of a grant: the first one, and each after that. */
  renewed(_grant: G): void {}

  /** @throws LockOptionsError if no record of a holder would keep the note of a hold of this kind. */
  checkNote(note: string, _kind: Pick<LockKind, 'family' | 'owner'>): void {
    throw refusedNote(note, 'holders are not recorded; give the module holderRecords: true');
  }

  /** Prepares to make a grant for the code that runs now; it is made later, by whatever code. */
  forCaller<A, R>(make: (acquired: A) => R): (acquired: A) => R {
    return make;
  }

  /**
   * Makes the error of an acquisition tell more of the holder of what is wanted, if more is known. Absent: nothing more is
   * ever known.
   */
  readonly explain?: (error: unknown, family: LockFamily, name: string) => Promise<unknown>;

  /** Resolves when nothing is held. */
  whenEmpty(): Promise<void> {
    if (this.held.size === 0) return Promise.resolve();
    return new Promise((resolve) => void this.waiting.add(resolve));
  }

  [Symbol.iterator](): Iterator<G> {
    return this.held[Symbol.iterator]();
  }
}
