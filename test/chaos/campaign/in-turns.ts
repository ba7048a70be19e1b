/**
 * Runs the tasks in their order, a number of them at the same time. Returns their results in their order.
 * Each is told which of the `jobs` it runs in, from 0.
 */
export const inTurns = async <Result>(
  tasks: readonly ((job: number) => Promise<Result>)[],
  jobs: number,
): Promise<Result[]> => {
  const results: Result[] = [];
  const rest = [...tasks.entries()];
  const work = async (job: number): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, task] = next;
      results[index] = await task(job);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, tasks.length) }, (_, job) => work(job)));
  return results;
};
