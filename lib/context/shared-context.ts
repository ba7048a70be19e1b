import { currentRegion, runInRegion, OwnerContext } from './owner-context.js';
const scopes = new WeakMap<object, OwnerContext>();

const scopeOf = (beneficiary: object): OwnerContext => {
  const scope = scopes.get(beneficiary) ?? new OwnerContext(undefined);
  scopes.set(beneficiary, scope);
  return scope;
};

/**
 * The regions around a caller, with the scope of a beneficiary as the outermost one. Locks that the caller holds come first;
 * everything else is acquired in the scope of the beneficiary, also if the caller is in a scope of its own: other calls for
 * the beneficiary, which keeps the lock, may come from elsewhere.
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
 * Runs `enter`, which acquires something for `beneficiary`, such as a transaction: what the caller does not hold is
 * acquired by one owner for all that is acquired for it. What runs under it later is in no scope by that.
 */
export const runFor = async <T>(beneficiary: object, enter: () => Promise<T>): Promise<T> => {
  const entrance = new ChainWithScope(currentRegion(), scopeOf(beneficiary));
  try {
    return await runInRegion(entrance, enter);
  } finally {
    entrance.close();
  }
};
