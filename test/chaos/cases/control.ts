import { setTimeout as sleep } from 'node:timers/promises';
import type { ChaosCase } from '../case.js';
import { LEASE_MS } from '../chaos-run.js';

/** A case in which the checkers must find violations. */
export const controlCases: readonly ChaosCase[] = [
  {
    id: 'N1',
    title: 'control: a naive lock, SET NX PX and DEL, whose holders stall',
    topologies: ['standalone'],
    isControl: true,
    load: () => [{ kind: 'naive', names: ['order:1'], loops: 2, wait: 8000, hold: 50, lease: 500 }],
    run: async (chaosRun) => {
      const [server] = chaosRun.topology.servers;
      if (!server) throw new Error('There is no server');
      const holder = async (): Promise<string | null> => chaosRun.topology.admin(server).get('order:1');
      for (let round = 0; round < 4; round++) {
        const pid = await holder();
        if (pid === null) continue;
        const index = chaosRun.processOf(Number(pid));
        chaosRun.pauseProcess(index);
        await sleep(LEASE_MS);
        chaosRun.resumeProcess(index);
        await sleep(300);
      }
    },
  },
];
