import { PostgresServer } from '../servers/postgres-server.js';
import { serve } from '../servers/worker-host.js';

/** Starts a server, and is killed. */
export const api = {
  start: async (): Promise<{ readonly pid: number; readonly folder: string }> => {
    const { pid, folder } = await PostgresServer.start();
    return { pid, folder };
  },
};

serve(api);
