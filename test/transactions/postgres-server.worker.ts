import { PostgresServer } from '../servers/postgres/postgres-server.js';
import { serve } from '../servers/worker/worker-host.js';

/** Starts a server. The test then kills this process. */
export const api = {
  start: async (): Promise<{ readonly pid: number; readonly folder: string }> => {
    const { pid, folder } = await PostgresServer.start();
    return { pid, folder };
  },
};

serve(api);
