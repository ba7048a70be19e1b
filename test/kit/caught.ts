const ofKind = <E extends Error>(error: unknown, kind: abstract new (...args: never[]) => E): E => {
  if (error instanceof kind) return error;
  throw new Error(`expected a ${kind.name}`, { cause: error });
};

/** Resolves with the error of a promise. Fails if it resolves, or if the error is of another kind. */
export const caught = async <E extends Error>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> => {
  const error = await promise.then(
    (value: unknown) => {
      throw new Error(`expected a ${kind.name}, but it resolved with ${String(value)}`);
    },
    (reason: unknown) => reason,
  );
  return ofKind(error, kind);
};

/** Returns the error of a call. Fails if it returns, or if the error is of another kind. */
export const thrownBy = <E extends Error>(call: () => unknown, kind: abstract new (...args: never[]) => E): E => {
  try {
    call();
  } catch (error) {
    return ofKind(error, kind);
  }
  throw new Error(`expected a ${kind.name}, but the call returned`);
};
