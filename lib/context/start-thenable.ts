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
