import { BeneficiaryContext, currentContext, runInContext, ScopeContext } from './owner-context.js';

type Thenable = PromiseLike<unknown>;

export const isThenable = (value: unknown): value is Thenable =>
  ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
  'then' in value &&
  typeof value.then === 'function';

/**
 * Runs `fn`, and starts what it returns in the running context, if that is a thenable: a query of knex, mongoose or Prisma
 * begins only when `then` is called, which `await` does later, outside of the context. Its promise takes its place.
 */
export const runAndStart = <T>(fn: () => T): T => {
  const result = fn();
  // A native promise runs already. One of a subclass may be lazy as well.
  if (!isThenable(result) || Object.getPrototypeOf(result) === Promise.prototype) return result;
  return new Promise((resolve, reject) => void result.then(resolve, reject)) as T;
};

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
