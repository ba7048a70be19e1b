import { memoryBackend } from '../../lib/backend/memory/memory-backend.js';
import { LockLostError } from '../../lib/standalone.js';
import { Grant } from '../../lib/holds/grant.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { Stopwatch } from '../../lib/time/scheduler.js';
import { BlockableLoop } from './blockable-loop.js';

const LEASE = 20;

describe('A grant whose lease is over before its first hold is added', () => {
  it('I11 is lost, and is neither registered nor watched', async () => {
    const loop = new BlockableLoop();
    const settings = parseModuleOptions({ connection: 'memory' });
    const runtime = createRuntime(settings, loop, memoryBackend);
    const acquired = { owner: 'me:1', sent: new Stopwatch(runtime.scheduler), lease: LEASE, fence: undefined };
    const grant = new Grant(runtime, runtime.kinds.plain, 'order:1', acquired);
    loop.block(LEASE);
    grant.addFirstHold(new GrantedHold(grant, 'manual', 0), LEASE);
    expect(grant.signal.reason).toBeInstanceOf(LockLostError);
    expect(runtime.grants.size).toBe(0);
    await loop.pass(runtime.watchdog.timeout);
    expect(loop.pending).toBe(0);
  });
});
