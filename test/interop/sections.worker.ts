import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { serve } from '../servers/worker/worker-host.js';
import { lockOfKind, type NodeLockKind } from './node-lock.js';
import { section, type SectionsDone, type SectionsWanted } from './sections.js';
import { openClient } from '../kit/client.js';

const [, , connection = ''] = process.argv;
const client = openClient({ connection });
const redis = new Redis(connection);

/** Another process that runs critical sections, one after the other, until all are done. */
export const api = {
  sections: async (kind: NodeLockKind, wanted: SectionsWanted): Promise<SectionsDone> => {
    const lock = lockOfKind(client.locks, kind, wanted.lockName);
    let sections = 0;
    let overlaps = 0;
    let goOn = true;
    while (goOn) {
      const { did, overlapped } = await lock.withLock({ wait: Number.POSITIVE_INFINITY }, () => section(redis, wanted));
      if (did) sections += 1;
      if (overlapped) overlaps += 1;
      goOn = did;
      if (wanted.restMs > 0) await sleep(wanted.restMs);
    }
    return { sections, overlaps };
  },
  /** Errors that reached no caller. */
  unexpected: (): string[] => client.events.filter(({ type }) => type === 'unexpected').map(String),
};

serve(api);
