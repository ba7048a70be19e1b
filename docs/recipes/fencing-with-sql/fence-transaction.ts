import { sqlFence } from 'nest-redis-lock/fencing';

/** What is used of a client of `pg`, inside a transaction. */
export interface Queries {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ rowCount: number | null; rows: Readonly<Record<string, string | null>>[] }>;
}

/**
 * Lets a transaction of the current holder go on, and makes others of the resource wait until it has ended. Await it
 * before anything else in the transaction.
 * @throws StaleFenceError if a later holder has been here; then roll back.
 */
export const fenceTransaction = async (queries: Queries, resource: string, fence: bigint): Promise<void> => {
  await queries.query('INSERT INTO fences (resource) VALUES ($1) ON CONFLICT DO NOTHING', [resource]);
  const fenced = sqlFence(fence, { resource, placeholder: '$2' });
  const { rowCount } = await queries.query(`UPDATE fences SET ${fenced.set} WHERE resource = $1 AND ${fenced.where}`, [
    resource,
    fenced.value,
  ]);
  const isFenced = await fenced.confirm(rowCount, async () => {
    const { rows } = await queries.query('SELECT fence FROM fences WHERE resource = $1', [resource]);
    return rows[0]?.['fence'];
  });
  if (!isFenced) throw new Error(`The row of ${resource} in fences was deleted`);
};
