import type { ChaosCase } from '../case.js';
import { ClockedServer } from '../../servers/redis/clocked-server.js';
import { COMMAND_MS, LEASE_MS } from '../chaos-run.js';

/** Clocks of servers. */
export const clockCases: readonly ChaosCase[] = [
  {
    id: 'F33',
    title:
      "the server's clock is set by +60 s, −60 s, and runs 5 % too fast: tokens rise, it is said, holders are told",
    topologies: ['standalone'],
    load: () => [],
    run: async (chaosRun) => {
      const clocked = await ClockedServer.start();
      chaosRun.onEnd(() => clocked.server.stop());
      const client = chaosRun.open({ connection: clocked.server.url });
      const lock = client.locks.getFencedLock('f33');
      let last = 0n;
      const next = async (): Promise<void> => {
        const hold = await lock.acquire({ wait: 10_000 });
        const { fence } = hold;
        chaosRun.expect(fence > last, `I2: token ${fence} after ${last}`);
        last = fence;
        await hold.release();
      };
      const said = (): number => client.events.filter(({ type }) => type === 'clock-jumped').length;
      const limit = LEASE_MS / 3 + 2 * COMMAND_MS + 300;
      await next();
      const hold = await client.locks.acquire('f33:held');
      clocked.set(60);
      await chaosRun.until(() => said() === 1, limit, 'the jump forward is said');
      await chaosRun.until(() => hold.signal.aborted, limit, 'the holder is told that its lease is over');
      await next();
      const kept = await client.locks.acquire('f33:held');
      clocked.set(0);
      await chaosRun.until(() => said() === 2, limit, 'the jump back is said');
      await next();
      chaosRun.expect((await kept.release()) === 'released', 'a hold was lost although its lease grew longer');
      clocked.set('x1.05');
      for (let round = 0; round < 20; round++) await next();
    },
  },
];
