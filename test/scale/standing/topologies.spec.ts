import type { CreateLocksOptions } from '../../../lib/standalone.js';
import { StandingProcesses } from './standing-processes.js';
import { RedisCluster } from '../../servers/cluster/redis-cluster.js';
import { RedisSentinels } from '../../servers/sentinel/redis-sentinels.js';

/** How many kinds of locks the process holds. */
const KINDS = 8;

describe('A process that renews in a worker thread keeps its locks while its event loop stands', () => {
  const processes = StandingProcesses.use();

  const heldAfterBlock = async (connection: NonNullable<CreateLocksOptions['connection']>) => {
    const process = await processes().start({ connection });
    const { held, isPermitHeld } = await process.call('acquireEveryKindAndStand', 4000);
    const released = await process.call('release');
    return { held: held.length, isPermitHeld, released: released.filter((how) => how === 'released').length };
  };

  const everything = { held: KINDS, isPermitHeld: true, released: KINDS };

  it('in a cluster', async () => {
    await using cluster = await RedisCluster.start();
    expect(await heldAfterBlock({ cluster: [...cluster.urls] })).toEqual(everything);
  });

  it('on the master that Sentinels name', async () => {
    await using topology = await RedisSentinels.start();
    const { sentinels, name } = topology;
    expect(await heldAfterBlock({ sentinels, name })).toEqual(everything);
  });
});
