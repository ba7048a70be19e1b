import { BeneficiaryContext, currentContext, runInContext, ScopeContext } from './owner-context.js';
import { runAndStart } from './start-thenable.js';

/** Runs `fn` in a scope of its own: all that is acquired inside has one owner. */
export const runInScope = async <T>(fn: () => T | Promise<T>): Promise<T> => {
  const scope = new ScopeContext();
  try {
    return await runInContext(scope, () => runAndStart(fn));
  } finally {
    scope.close();
  }
};

/** The scopes that several calls share, by the object that the calls are made for. */
const scopes = new WeakMap<object, ScopeContext>();

const scopeOf = (beneficiary: object): ScopeContext => {
  const scope = scopes.get(beneficiary) ?? new ScopeContext();
  scopes.set(beneficiary, scope);
  return scope;
};

/**
 * Runs `enter`, which acquires something for `beneficiary`, such as a transaction. Locks that the caller does not hold
 * are acquired by one owner for all calls for the beneficiary. Work that runs under them later is not in that scope.
 */
export const runFor = async <T>(beneficiary: object, enter: () => Promise<T>): Promise<T> => {
  const context = new BeneficiaryContext(scopeOf(beneficiary), currentContext());
  try {
    return await runInContext(context, enter);
  } finally {
    context.close();
  }
};
