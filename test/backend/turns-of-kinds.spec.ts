import { IdempotentRequests } from '../../lib/backend/commands/idempotent-requests.js';
import { RedisLatch, RedisSemaphore } from '../../lib/backend/kinds/counters/counters.js';
import { FairLockScripts, RedisFairLock } from '../../lib/backend/kinds/fair-lock/fair-lock.js';
import { GrantingLockScripts, RedisGrantingLock } from '../../lib/backend/kinds/lock/granting-lock.js';
import { RedisPermits } from '../../lib/backend/kinds/permits/permits.js';
import { RedisConversion } from '../../lib/backend/kinds/read-write/conversion.js';
import { RedisReadLock, RedisWriteLock } from '../../lib/backend/kinds/read-write/read-write-lock.js';
import { RedisResultStore } from '../../lib/backend/kinds/single-flight/result-store.js';
import type { ArgumentsOf, KeysOf, ReplyOf, Script } from '../../lib/backend/scripts/script.js';
import { ScriptedCommands } from './scripted-commands.js';

/** Very many requests are under way: the test gives the turns. */
class CrowdedCommands extends ScriptedCommands {
  readonly deadlines: number[] = [];
  override answer = (): Promise<readonly unknown[]> => new Promise(() => {});
  private readonly turns: (() => void)[] = [];

  override turn(): Promise<void> {
    return new Promise((resolve) => void this.turns.push(resolve));
  }

  override run<S extends Script>(script: S, keys: KeysOf<S>, args: ArgumentsOf<S>, deadline = 0): Promise<ReplyOf<S>> {
    this.deadlines.push(deadline);
    return super.run(script, keys, args);
  }

  /** Returns the number of turns. */
  giveTurns(): number {
    const turns = this.turns.splice(0);
    for (const give of turns) give();
    return turns.length;
  }
}

const openKinds = (commands: ScriptedCommands) => {
  const { scheduler } = commands;
  const requests = new IdempotentRequests(commands, scheduler);
  const [read, write] = [new RedisReadLock(commands, scheduler), new RedisWriteLock(commands, scheduler)];
  return {
    lock: new RedisGrantingLock(commands, scheduler, new GrantingLockScripts(commands)),
    semaphore: new RedisSemaphore(commands, requests, scheduler),
    latch: new RedisLatch(commands, requests, scheduler),
    permits: new RedisPermits(commands, requests, scheduler),
    fair: new RedisFairLock(commands, scheduler, new FairLockScripts(commands)),
    read,
    write,
    conversion: new RedisConversion(commands, scheduler, read, write),
    results: new RedisResultStore(commands, scheduler),
  };
};
type Kinds = ReturnType<typeof openKinds>;

const REQUEST = { name: 'n', owner: 'me:1', lease: 30_000 };
const ENTRY = { owner: 'me:1', lease: 30_000, firstLease: 3000 };

type Operation = readonly [script: string, (kinds: Kinds) => unknown];

const ACQUISITIONS: readonly Operation[] = [
  ['lock/acquire', ({ lock }) => lock.acquire(REQUEST)],
  ['lock/wait', ({ lock }) => lock.wait({ name: 'n', entry: ENTRY, isNew: true })],
  ['fair-lock/queue', ({ fair }) => fair.queue({ ...REQUEST, slot: 5000 })],
  ['read-lock/acquire', ({ read }) => read.acquire(REQUEST)],
  ['write-lock/acquire', ({ write }) => write.acquire(REQUEST)],
  ['permits/acquire', ({ permits }) => permits.acquire({ name: 'n', ids: ['0'], lease: 30_000 })],
  ['semaphore/take', ({ semaphore }) => semaphore.take('n', 1)],
];

const OTHERS: readonly Operation[] = [
  ['lock/hold', ({ lock }) => lock.hold({ ...REQUEST, count: 1 })],
  ['lock/renew', ({ lock }) => lock.renew([REQUEST])],
  ['lock/release', ({ lock }) => lock.release(REQUEST)],
  ['lock/force-release', ({ lock }) => lock.forceRelease({ name: 'n' })],
  ['lock/inspect', ({ lock }) => lock.inspect('n', 'me:1')],
  ['lock/withdraw', ({ lock }) => lock.withdraw('n', ENTRY)],
  ['fair-lock/keep', ({ fair }) => fair.keep({ name: 'n', owners: ['me:1'], slot: 5000 })],
  ['fair-lock/leave', ({ fair }) => fair.leave({ ...REQUEST, owners: ['me:1'], slot: 5000 })],
  ['read-lock/release', ({ read }) => read.release(REQUEST)],
  ['read-lock/upgrade', ({ conversion }) => conversion.upgrade({ name: 'n', from: 'me:1', to: 'me:2', lease: 30_000 })],
  ['permits/update-lease', ({ permits }) => permits.updateLease('n', '0', 30_000)],
  ['permits/release', ({ permits }) => permits.release('n', '0')],
  ['counter/count-down', ({ latch }) => latch.countDown('n')],
];

const open = () => {
  const commands = new CrowdedCommands();
  const ask = ([, operation]: Operation): void => void operation(openKinds(commands));
  return { commands, ask };
};

describe('While very many requests are under way', () => {
  it.each(ACQUISITIONS)('D71: waits once for its turn, with which its deadline begins: %s', async (...operation) => {
    const { commands, ask } = open();
    const { clock, sent, deadlines } = commands;
    ask(operation);
    await clock.advance(5000);
    expect(sent).toEqual([]);
    expect(commands.giveTurns()).toBe(1);
    await clock.advance(0);
    expect([sent[0]?.script, sent[0]?.at, deadlines[0]]).toEqual([operation[0], 5000, 6000]);
    expect(sent[0]?.args['notAfter']).toBe(6000);
  });

  it.each(OTHERS)('D71: is sent at once, since it may concern a hold: %s', async (...operation) => {
    const { commands, ask } = open();
    ask(operation);
    await commands.clock.advance(0);
    expect(commands.sent.map(({ script }) => script)).toEqual([operation[0]]);
  });

  it('D71: the lease of an acquisition counts from its turn, and not from its call', async () => {
    const { commands } = open();
    const outcome = openKinds(commands).lock.acquire(REQUEST);
    await commands.clock.advance(5000);
    commands.answer = () => commands.scheduler.pause(300).then(() => [REQUEST.lease, 5000]);
    commands.giveTurns();
    await commands.clock.advance(300);
    await expect(outcome).resolves.toMatchObject({ outcome: 'acquired', sent: { elapsed: 300 } });
  });

  it('D71: an entry that was withdrawn before its turn is not added', async () => {
    const { commands } = open();
    const { lock } = openKinds(commands);
    const outcome = lock.wait({ name: 'n', entry: ENTRY, isNew: true });
    lock.withdraw('n', ENTRY);
    await commands.clock.advance(1);
    commands.giveTurns();
    await expect(outcome).resolves.toEqual({ outcome: 'gone' });
    expect(commands.sent.map(({ script }) => script)).toEqual(['lock/withdraw']);
  });

  it('D71: an acquisition takes another turn when it had to wait for the connection', async () => {
    const { commands } = open();
    void openKinds(commands).lock.acquire(REQUEST);
    commands.connected = false;
    expect(commands.giveTurns()).toBe(1);
    await commands.clock.advance(500);
    commands.connected = true;
    await commands.clock.advance(0);
    expect([commands.sent, commands.giveTurns()]).toEqual([[], 1]);
    await commands.clock.advance(0);
    expect(commands.sent).toHaveLength(1);
    // What is left of its time, which the turn does not count for.
    expect(commands.deadlines).toEqual([1000]);
  });
});
