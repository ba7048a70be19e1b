import { serve } from '../servers/worker/worker-host.js';
import { openClient } from '../kit/client.js';

const [, , connection = ''] = process.argv;
const { locks } = openClient({ connection });

/** Another process that releases permits and counts latches down when it is told to. */
export const api = {
  release: (name: string): Promise<void> => locks.getSemaphore(name).release(),
  countDown: (name: string): Promise<void> => locks.getCountDownLatch(name).countDown(),
};

serve(api);
