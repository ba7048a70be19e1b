/** What a promise rejects with; fails when it resolves, or when the error is of another kind. */
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
  if (error instanceof kind) return error;
  throw new Error(`expected a ${kind.name}`, { cause: error });
};
