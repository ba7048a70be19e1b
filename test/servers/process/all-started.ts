/** Resolves when everything has started. If one start fails, ends the others and rejects. */
export async function allStarted<T extends AsyncDisposable>(starting: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(starting);
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((each) => each[Symbol.asyncDispose]()));
  throw failed.reason;
}
