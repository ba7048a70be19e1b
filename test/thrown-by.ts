/** The error that a call throws; fails when it returns, or throws something else. */
export function thrownBy<E extends Error>(call: () => unknown, kind: new (...args: never[]) => E): E {
  try {
    call();
  } catch (error) {
    if (error instanceof kind) return error;
    throw new Error(`expected a ${kind.name}`, { cause: error });
  }
  throw new Error(`expected a ${kind.name}, but the call returned`);
}
