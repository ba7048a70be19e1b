import { IdempotentRequests } from '../../lib/backend/commands/idempotent-requests.js';
import { RedisLatch, RedisSemaphore } from '../../lib/backend/kinds/counters/counters.js';
import { FairLockScripts, RedisFairLock } from '../../lib/backend/kinds/fair-lock/fair-lock.js';
import { FencedLockScripts, RedisFencedLock } from '../../lib/backend/kinds/fenced-lock/fenced-lock.js';
import { RedisPermits } from '../../lib/backend/kinds/permits/permits.js';
import { RedisWriteLock } from '../../lib/backend/kinds/read-write/read-write-lock.js';
import { RedisResultStore } from '../../lib/backend/kinds/single-flight/result-store.js';
import { settlementOf } from './answers-in-order.js';
import { ScriptedCommands } from './scripted-commands.js';

const openKinds = (commands: ScriptedCommands) => {
  const { scheduler } = commands;
  const requests = new IdempotentRequests(commands, scheduler);
  return {
    semaphore: new RedisSemaphore(commands, requests, scheduler),
    latch: new RedisLatch(commands, requests, scheduler),
    permits: new RedisPermits(commands, requests, scheduler),
    fair: new RedisFairLock(commands, scheduler, new FairLockScripts(commands)),
    fenced: new RedisFencedLock(commands, scheduler, new FencedLockScripts(commands, 'clock')),
    write: new RedisWriteLock(commands, scheduler),
    results: new RedisResultStore(commands, scheduler),
  };
};

type Kinds = ReturnType<typeof openKinds>;

const owner = 'me:1';

describe('A command of a kind', () => {
  const cases: readonly (readonly [script: string, (kinds: Kinds) => Promise<unknown>])[] = [
    ['counter/inspect', ({ semaphore }) => semaphore.count('n')],
    ['counter/inspect', ({ latch }) => latch.count('n')],
    ['permits/inspect', ({ permits }) => permits.inspect('n')],
    ['permits/lease', ({ permits }) => permits.lease('n', 'id')],
    ['permits/release', ({ permits }) => permits.release('n', 'id')],
    ['lock/inspect', ({ fenced }) => fenced.inspect('n', owner)],
    ['lock/release', ({ fenced }) => fenced.release({ name: 'n', owner, lease: 1 })],
    ['fenced-lock/current-token', ({ fenced }) => fenced.currentToken('n')],
    ['fair-lock/keep', ({ fair }) => fair.keep({ name: 'n', owners: [owner], slot: 1 })],
    ['fair-lock/leave', ({ fair }) => fair.leave({ name: 'n', owners: [owner], slot: 1, lease: 1 })],
    ['write-lock/withdraw', ({ write }) => write.withdraw('n', { id: owner, slot: 5000 })],
    ['single-flight/find', ({ results }) => results.find('n')],
  ];

  it.each(cases)('is sent in the turn of the call: %s', (script, ask) => {
    const commands = new ScriptedCommands();
    settlementOf(ask(openKinds(commands)), commands.clock);
    expect(commands.sent.map((sent) => sent.script)).toEqual([script]);
  });

  // A departure is confirmed at once, and the place is given up in the background.
  const departures = ['fair-lock/leave', 'write-lock/withdraw'];
  const failing = cases.filter(([script]) => !departures.includes(script));

  it.each(failing)('is not sent without a connection, and fails at its deadline: %s', async (_, ask) => {
    const commands = new ScriptedCommands();
    commands.connected = false;
    const settled = settlementOf(ask(openKinds(commands)), commands.clock);
    await commands.clock.advance(2000);
    expect(commands.sent).toEqual([]);
    expect(settled).toMatchObject([{ error: { outcome: 'not-sent' } }]);
  });
});
