import { LockUnavailableError } from '../../lib/errors.js';
import { type LockEvent, LockEvents } from '../../lib/events/lock-events.js';
import { EndsByOthers, type Watch } from '../../lib/holds/ends-by-others.js';
import type { LockFamily } from '../../lib/holds/lock-kind.js';
import { groupLockName } from '../../lib/keys/group-field.js';
import { holdersChannel, keyspaceChannel, limitPermits } from '../../lib/keys/redisson-keys.js';
import { ManualClock } from '../../lib/testing/manual-clock.js';
import { MonotonicScheduler } from '../../lib/time/scheduler.js';
import { ScriptedPubSub } from '../waiting/scripted-pub-sub.js';

/** How long code has its signal before the process listens, ms. */
const LISTENS_AFTER = 100;
const DATABASE = 3;
const onKey = (key: string): string => keyspaceChannel(DATABASE, key);

/** Holders on a manual clock, beside a server that tells what happens to keys. */
const setUp = () => {
  const clock = new ManualClock();
  const scheduler = new MonotonicScheduler(clock, (error) => {
    throw error;
  });
  const pubSub = new ScriptedPubSub();
  const requested: string[] = [];
  pubSub.answer = async (channel) => void requested.push(channel);
  const emitted: LockEvent[] = [];
  const events = new LockEvents();
  events.on((event) => void emitted.push(event));
  const server: { notifiedDatabase: number | undefined } = { notifiedDatabase: DATABASE };
  const inspection = { tellHolders: () => Promise.resolve() };
  const endsByOthers = new EndsByOthers({ pubSub, inspection, scheduler, events, clientId: 'me', server });
  /** The grants that the server was asked about, in the order of the questions. */
  const asked: string[] = [];
  const watch = (name: string, family: LockFamily = 'exclusive', isReplaceable = false): Watch =>
    endsByOthers.watch({
      ...{ name, owner: 'me:1', kind: { family, isReplaceable }, lease: { lose: () => {} }, abort: () => {} },
      verifyAfterCommands: async () => void asked.push(name),
    });
  /** Resolves when the process listens for the end of the grant, and has asked about it. */
  const listening = async (name: string, family?: LockFamily): Promise<Watch> => {
    const watched = watch(name, family);
    await clock.advance(LISTENS_AFTER);
    asked.length = 0;
    return watched;
  };
  const tell = (channel: string, message?: string): void => {
    for (const subscription of pubSub.active) if (subscription.channel === channel) subscription.listener(message);
  };
  return { clock, pubSub, requested, emitted, server, endsByOthers, asked, watch, listening, tell };
};

describe('A process whose server tells what happens to keys', () => {
  it.each<[LockFamily, name: string, channels: readonly string[]]>([
    ['exclusive', 'n', [holdersChannel('n'), onKey('n')]],
    ['exclusive', '{n}', [holdersChannel('{n}'), onKey('{n}')]],
    ['read', 'n', [holdersChannel('n'), onKey('n')]],
    ['write', 'n', [holdersChannel('n'), onKey('n')]],
    ['group', groupLockName('n', ['a', 'b']), [holdersChannel('n'), onKey('n')]],
    ['limit', 'n', [holdersChannel('n'), onKey(limitPermits('n'))]],
    ['quorum', 'n', []],
  ])('listens to the key of a hold, %s %s', async (family, name, channels) => {
    const { listening, requested } = setUp();
    await listening(name, family);
    expect(requested).toEqual(channels);
  });

  it.each([
    ['del', true],
    ['expired', true],
    ['rename_from', true],
    ['expire', false],
    ['hset', false],
    ['hdel', false],
    ['rename_to', false],
    [undefined, false],
  ])('asks about its holds when it hears of %s: %p', async (event, asks) => {
    const { listening, tell, asked } = setUp();
    await listening('n');
    await listening('n');
    await listening('other');
    tell(onKey('n'), event);
    expect(asked).toEqual(asks ? ['n', 'n'] : []);
  });

  it('asks about each half of what a limit and a lock of one name are', async () => {
    const { listening, tell, asked, pubSub, endsByOthers } = setUp();
    const limited = await listening('n', 'limit');
    await listening('n');
    tell(onKey(limitPermits('n')), 'del');
    expect(asked).toEqual(['n']);
    endsByOthers.unwatch(limited);
    expect(pubSub.active.map(({ channel }) => channel)).toEqual([holdersChannel('n'), onKey('n')]);
  });

  it('asks about no grant that it releases, and listens no longer than its last hold', async () => {
    const { listening, tell, asked, pubSub, endsByOthers } = setUp();
    const [first, second] = [await listening('n'), await listening('n')];
    endsByOthers.unwatch(first);
    tell(onKey('n'), 'del');
    expect(asked).toEqual(['n']);
    endsByOthers.unwatch(second);
    expect(pubSub.active).toEqual([]);
  });

  it('asks for a deletion before it listened', async () => {
    const { listening, watch, clock, pubSub, asked, requested } = setUp();
    let confirm = (): void => {};
    pubSub.answer = (channel) => {
      requested.push(channel);
      return channel.startsWith('__keyspace') ? new Promise((resolve) => (confirm = resolve)) : Promise.resolve();
    };
    await listening('n');
    confirm();
    await clock.advance(0);
    expect(asked).toEqual(['n']);
    // Beside holds of the process that listen already.
    watch('n');
    await clock.advance(LISTENS_AFTER);
    expect(asked).toEqual(['n', 'n']);
  });

  it('asks nothing for a grant that comes of an acquisition during which the holder before has released', async () => {
    const { clock, watch, tell, asked, endsByOthers } = setUp();
    await endsByOthers.whileListening('n', async () => {
      await clock.advance(0);
      tell(onKey('n'), 'del');
      watch('n', 'exclusive', true);
    });
    expect(asked).toEqual([]);
  });

  it.each([undefined, DATABASE])('listens only where the probe has found it: database %p', async (found) => {
    const { server, listening, requested } = setUp();
    server.notifiedDatabase = undefined;
    await listening('before');
    server.notifiedDatabase = found;
    await listening('after');
    const told = found === undefined ? [] : [onKey('after')];
    expect(requested).toEqual([holdersChannel('before'), holdersChannel('after'), ...told]);
  });

  describe('but does not let it listen', () => {
    const refuseKeys = (error: Error) => {
      const opened = setUp();
      opened.pubSub.answer = async (channel) => {
        opened.requested.push(channel);
        if (channel.startsWith('__keyspace')) throw error;
      };
      return opened;
    };
    const keysIn = (requested: readonly string[]) => requested.filter((channel) => channel.startsWith('__keyspace'));

    it('tries once where the user may not, tells nobody, and hears other messages', async () => {
      const { listening, requested, emitted, endsByOthers, tell, asked } = refuseKeys(
        new LockUnavailableError('NOPERM', 'refused', true),
      );
      const first = await listening('a');
      endsByOthers.retry(first);
      await listening('b');
      endsByOthers.retry(first);
      expect(keysIn(requested)).toEqual([onKey('a')]);
      expect(emitted).toEqual([]);
      for (const name of ['a', 'b']) tell(holdersChannel(name), 'ended');
      expect(asked).toEqual(['a', 'b']);
    });

    it('tries again with the next renewal if that may help', async () => {
      const { clock, listening, requested, emitted, endsByOthers } = refuseKeys(
        new LockUnavailableError('no connection', 'not-sent', false),
      );
      const first = await listening('a');
      endsByOthers.retry(first);
      await clock.advance(0);
      await listening('b');
      expect(keysIn(requested)).toEqual([onKey('a'), onKey('a'), onKey('b')]);
      expect(emitted).toEqual([]);
    });
  });
});
