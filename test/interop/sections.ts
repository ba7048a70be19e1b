import type { Redis } from 'ioredis';

/** Critical sections that several processes run together, on one lock. */
export interface SectionsWanted {
  readonly lockName: string;
  /** The name of the participant in the log. */
  readonly who: string;
  /** The number of sections of all participants together. */
  readonly total: number;
  /** The pause of a participant between two sections, ms. */
  readonly restMs: number;
  /** The key that counts the participants inside, of whom there is never more than one. */
  readonly insideKey: string;
  /**
   * The key that counts the sections. It is read on entry and written on leaving, so that two participants at a time
   * lose a count.
   */
  readonly counterKey: string;
  /** The key of a list with an entry for each section. */
  readonly logKey: string;
}

export interface SectionsDone {
  readonly sections: number;
  /** The number of entries that met another participant inside. */
  readonly overlaps: number;
}

/**
 * Runs one section under the lock: two round trips with the lock held in between, as in `Sections.java`. Resolves with
 * false if no section was left.
 */
export async function section(redis: Redis, wanted: SectionsWanted): Promise<{ did: boolean; overlapped: boolean }> {
  const { insideKey, counterKey, logKey, total, who } = wanted;
  const [inside, counter] = await answers(redis.pipeline().incr(insideKey).get(counterKey));
  const done = Number(counter ?? 0);
  const did = done < total;
  const leaving = redis.pipeline();
  if (did) leaving.set(counterKey, done + 1).rpush(logKey, who);
  await answers(leaving.decr(insideKey));
  return { did, overlapped: inside !== 1 };
}

async function answers(pipeline: ReturnType<Redis['pipeline']>): Promise<unknown[]> {
  const replies = (await pipeline.exec()) ?? [];
  return replies.map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
