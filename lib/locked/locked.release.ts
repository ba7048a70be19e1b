import type { Guard } from '../primitives/entered.js';
import { runOutsideRegions } from '../scope/current-region.js';

/** What is asked when a locked method has ended. */
export interface ReleaseContext {
  /** The arguments of the call; empty for `lockHandler`. */
  readonly args: readonly unknown[];
}

/** Says until when the lock is to be kept: nothing, or a promise of what ends later than the method. */
export type ReleaseAfter = (context: ReleaseContext) => PromiseLike<unknown> | undefined | void;

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value;

/**
 * The same guard, which is left only when that has ended what `until` says. Nobody waits for it: what it waits for may
 * well wait for the method.
 */
export const leftAfter = (guard: Guard, until: () => PromiseLike<unknown> | undefined | void): Guard => {
  const leave = async (): Promise<void> => {
    const later = until();
    if (!isPromiseLike(later)) return guard.leave();
    // However it ends, it has ended; whoever began it learns of errors.
    const over = Promise.resolve(later).then(
      () => {},
      () => {},
    );
    void runOutsideRegions(() => over.then(() => guard.leave()));
  };
  let leaving: Promise<void> | undefined;
  return { run: guard.run, leave: () => (leaving ??= leave()) };
};
