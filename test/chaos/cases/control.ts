import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosCase } from '../case.js';
import { LEASE_MS } from '../case-run.js';

/** What the checkers must find. */
export const controlCases: readonly ChaosCase[] = [
  {
    id: 'N1',
    title: 'control: a naive lock, SET NX PX and DEL, whose holders stall',
    topologies: ['standalone'],
    isControl: true,
    load: () => [{ kind: 'naive', names: ['order:1'], loops: 2, wait: 8000, hold: 50, lease: 500 }],
    run: async (world) => {
      const [server] = world.topology.servers;
      if (!server) throw new Error('There is no server');
      const holder = async (): Promise<string | null> => world.topology.admin(server).get('order:1');
      for (let round = 0; round < 4; round++) {
        const pid = await holder();
        if (pid === null) continue;
        const index = world.processOf(Number(pid));
        world.pauseProcess(index);
        await sleep(LEASE_MS);
        world.resumeProcess(index);
        await sleep(300);
      }
    },
  },
];
