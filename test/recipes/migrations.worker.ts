import { Redis } from 'ioredis';
import { migrateAtBoot } from '../../docs/recipes/migrations-at-boot/migrate-at-boot.js';
import { type Migration, runMigrations } from '../../docs/recipes/migrations-at-boot/run-migrations.js';
import { Gate } from '../kit/gate.js';
import { serve } from '../servers/worker/worker-host.js';

const [, , url = '', renewedLease = ''] = process.argv;
const database = new Redis(url);
const finish = new Gate();

/** A step of a database that is a list in Redis. The second one is recorded when the test says so. */
const migration = (name: string): Migration => ({
  name,
  isDone: async () => (await database.lpos('done', name)) !== null,
  run: async () => {
    await database.rpush('begun', `${name} ${process.pid}`);
    if (name === 'second') await finish.pass();
    await database.rpush('done', name);
  },
});

/** The process of an application that starts. */
export const api = {
  boot: async (): Promise<void> =>
    migrateAtBoot({ connection: url, probe: false, renewedLease: Number(renewedLease) }, (signal) =>
      runMigrations(['first', 'second', 'third'].map(migration), signal),
    ),
  finish: async (): Promise<void> => finish.open(),
};

serve(api);
