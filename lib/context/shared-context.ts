import { currentContext, runInContext, OwnerContext } from './owner-context.js';
const scopes = new WeakMap<object, OwnerContext>();

const scopeOf = (beneficiary: object): OwnerContext => {
  const scope = scopes.get(beneficiary) ?? new OwnerContext(undefined);
  scopes.set(beneficiary, scope);
  return scope;
};

/**
 * The caller's context chain, with a scope shared by all calls for one object (the beneficiary, such as a transaction)
 * as its outermost link. Locks that the caller holds come first; everything else is acquired in the shared scope, even
 * if the caller is in its own scope: the beneficiary keeps the lock, and other calls for it may come from elsewhere.
 */
class ChainWithScope extends OwnerContext {
  constructor(
    caller: OwnerContext | undefined,
    private readonly scope: OwnerContext,
  ) {
    super(undefined, caller);
  }

  override get isScope(): boolean {
    return false;
  }

  override get acquiresIn(): OwnerContext {
    return this.scope;
  }

  override get beneficiary(): OwnerContext {
    return this.scope;
  }

  override *outwards(): Generator<OwnerContext> {
    yield* super.outwards();
    yield this.scope;
  }
}

/**
 * Runs `enter`, which acquires something for `beneficiary`, such as a transaction. Locks that the caller does not hold
 * are acquired by one owner for all calls for the beneficiary. Work that runs under them later is not in that scope.
 */
export const runFor = async <T>(beneficiary: object, enter: () => Promise<T>): Promise<T> => {
  const chain = new ChainWithScope(currentContext(), scopeOf(beneficiary));
  try {
    return await runInContext(chain, enter);
  } finally {
    chain.close();
  }
};
