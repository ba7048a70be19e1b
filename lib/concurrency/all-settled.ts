/**
 * Waits for all promises, even if some reject.
 * @throws The rejection of the first by position.
 */
export const allSettled = async <T>(works: readonly Promise<T>[]): Promise<readonly T[]> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};
