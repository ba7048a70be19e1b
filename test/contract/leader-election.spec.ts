import { setTimeout as sleep } from 'node:timers/promises';
import { LockLostError, LockOptionsError, LockShutdownError } from '../../lib/standalone.js';
import { LeaderElection, type LeaderElectionOptions } from '../../lib/coordination/leader-election.js';
import { thrownBy } from '../kit/caught.js';
import { onEveryBackend } from '../kit/every-backend.js';
import type { World } from '../kit/world.js';
import { ReentrantLock } from '../../lib/locks/reentrant-lock.js';

const NAME = 'reports';

const LIMIT_MS = 5000;
/** The pause until a candidate that failed tries again, ms. */
const PAUSE_MS = 1000;

const failure = new Error('no paper');
const ways: readonly (readonly [name: string, fail: () => unknown])[] = [
  ['rejects', () => Promise.reject(failure)],
  [
    'throws',
    () => {
      throw failure;
    },
  ],
];

/** A candidate, and the log of its elections and demotions. */
const candidateOf = async (
  world: World,
  who: string,
  log: string[],
  onElected?: LeaderElectionOptions['onElected'],
  onDemoted?: LeaderElectionOptions['onDemoted'],
) => {
  const client = await world.open();
  const signals: AbortSignal[] = [];
  const election: LeaderElection = client.locks.getLeaderElection(NAME, {
    onElected: (signal, hold) => {
      log.push(`${who} elected`);
      signals.push(signal);
      return onElected?.(signal, hold);
    },
    onDemoted: (reason) => {
      log.push(`${who} demoted`);
      return onDemoted?.(reason);
    },
  });
  const { locks, runtime, events } = client;
  return { locks, runtime, events, election, signals };
};

onEveryBackend((world) => {
  const until = (condition: () => boolean): Promise<unknown> => world.time.until(condition, LIMIT_MS);

  describe('The election of a leader', () => {
    it('LE-01 has one leader among many, and the next one when it stops', async () => {
      const log: string[] = [];
      const candidates = await Promise.all(['a', 'b', 'c'].map((who) => candidateOf(world, who, log)));
      for (const { election } of candidates) election.start();
      const leaders = () => candidates.filter(({ election }) => election.isLeader);
      for (let turn = 1; turn <= 3; turn++) {
        await until(() => leaders().length === 1);
        await world.time.pass(50);
        const [leader, ...others] = leaders();
        expect(others).toEqual([]);
        const stopped = leader?.election.stop();
        await world.time.finish(stopped ?? Promise.reject(new Error('nobody leads')), LIMIT_MS);
        expect(leader?.election.state).toBe('idle');
        expect(leader?.signals.map(({ aborted }) => aborted)).toEqual([true]);
      }
      expect(log.filter((line) => line.endsWith('elected')).toSorted()).toEqual([
        'a elected',
        'b elected',
        'c elected',
      ]);
      // Each leader was demoted before the next one was elected.
      expect(log.map((line) => line.split(' ')[1])).toEqual(Array(3).fill(['elected', 'demoted']).flat());
    });

    it('LE-02 informs a leader that has lost the lock, which becomes a candidate again', async () => {
      const log: string[] = [];
      const { locks, election, signals } = await candidateOf(world, 'a', log);
      election.start();
      await until(() => election.isLeader);
      await locks.getLock(NAME).forceRelease();
      await until(() => signals[0]?.aborted === true);
      expect(signals[0]?.reason).toBeInstanceOf(LockLostError);
      await until(() => log.length === 3);
      expect(log).toEqual(['a elected', 'a demoted', 'a elected']);
      await world.time.finish(election.stop(), LIMIT_MS);
    });

    it.each(ways)('LE-03 ends the term of a leader whose work %s, which becomes a candidate again', async (_, fail) => {
      const log: string[] = [];
      const reasons: unknown[] = [];
      const failing = await candidateOf(world, 'failing', log, fail, (reason) => void reasons.push(reason));
      failing.election.start();
      await until(() => log.includes('failing demoted'));
      expect(reasons).toEqual([failure]);
      expect(failing.signals.map(({ reason }): unknown => reason)).toEqual([failure]);
      expect(failing.events).toContainEqual({ type: 'election-failed', lockName: NAME, error: failure });
      const other = await candidateOf(world, 'other', log);
      other.election.start();
      await until(() => other.election.isLeader);
      await world.time.finish(other.election.stop(), LIMIT_MS);
      await until(() => log.filter((line) => line === 'failing elected').length === 2);
      await world.time.finish(failing.election.stop(), LIMIT_MS);
    });

    it('LE-04 waits for the work of the leader before another one is elected', async () => {
      const log: string[] = [];
      let finish: () => void = () => {};
      const slow = await candidateOf(world, 'slow', log, () => new Promise<void>((resolve) => (finish = resolve)));
      slow.election.start();
      await until(() => slow.election.isLeader);
      const next = await candidateOf(world, 'next', log);
      next.election.start();
      const stopped = slow.election.stop();
      await world.time.pass(50);
      expect([slow.election.state, next.election.state]).toEqual(['stepping-down', 'candidate']);
      finish();
      await world.time.finish(stopped, LIMIT_MS);
      await until(() => next.election.isLeader);
      expect(log).toEqual(['slow elected', 'slow demoted', 'next elected']);
      await world.time.finish(next.election.stop(), LIMIT_MS);
    });

    it('LE-05 leaves nothing behind of a candidate that stops', async () => {
      const log: string[] = [];
      const [leader, candidate] = [await candidateOf(world, 'a', log), await candidateOf(world, 'b', log)];
      leader.election.start();
      await until(() => leader.election.isLeader);
      candidate.election.start();
      candidate.election.start();
      await until(() => candidate.runtime.acquirer.contended === 1);
      await world.time.finish(candidate.election.stop(), LIMIT_MS);
      expect(candidate.election.state).toBe('idle');
      // An attempt in flight releases the lock that it may get.
      await until(() => candidate.runtime.acquirer.contended === 0);
      await world.time.finish(leader.election.stop(), LIMIT_MS);
      expect(log).toEqual(['a elected', 'a demoted']);
      // A stopped candidate may stand again.
      candidate.election.start();
      await until(() => candidate.election.isLeader);
      await world.time.finish(candidate.election[Symbol.asyncDispose](), LIMIT_MS);
    });

    it('LE-06 ends with the application', async () => {
      const log: string[] = [];
      const { runtime, election, signals } = await candidateOf(world, 'a', log);
      election.start();
      await until(() => election.isLeader);
      runtime.shutdownController.abort(new LockShutdownError('The application is shutting down'));
      await until(() => election.state === 'idle');
      expect(signals[0]?.reason).toBeInstanceOf(LockShutdownError);
      expect(log).toEqual(['a elected', 'a demoted']);
      expect(runtime.grants.size).toBe(0);
      election.start();
      await until(() => election.state === 'idle');
    });

    it('LE-07 runs the work as the owner of the lock', async () => {
      const log: string[] = [];
      const names: unknown[] = [];
      const { locks, election } = await candidateOf(world, 'a', log, async () => {
        names.push(locks.currentHold()?.name);
        await locks.withLock(NAME, { wait: 0 }, () => void names.push('entered again'));
      });
      election.start();
      await until(() => names.length === 2);
      expect(names).toEqual([NAME, 'entered again']);
      await world.time.finish(election.stop(), LIMIT_MS);
    });

    it('LE-09 does not count an aborted work as a failure, and is a candidate again at once', async () => {
      const log: string[] = [];
      const { locks, election, events } = await candidateOf(world, 'a', log, (signal) =>
        sleep(60 * LIMIT_MS, undefined, { signal }),
      );
      election.start();
      await until(() => election.isLeader);
      await locks.getLock(NAME).forceRelease();
      const late = await world.time.until(() => log.length === 3, LIMIT_MS);
      expect(late).toBeLessThan(PAUSE_MS);
      await world.time.finish(election.stop(), LIMIT_MS);
      expect(log).toEqual(['a elected', 'a demoted', 'a elected', 'a demoted']);
      expect(events.filter(({ type }) => type === 'election-failed')).toEqual([]);
    });

    it.each(ways)('LE-10 is a candidate again after onDemoted %s, which is an event', async (_, fail) => {
      const log: string[] = [];
      const { locks, election, events } = await candidateOf(world, 'a', log, undefined, fail);
      election.start();
      await until(() => election.isLeader);
      await locks.getLock(NAME).forceRelease();
      await until(() => log.length === 3);
      expect(events).toContainEqual({ type: 'election-failed', lockName: NAME, error: failure });
      await world.time.finish(election.stop(), LIMIT_MS);
    });

    it('D12: has a candidate again that loses the lock in the turn of the grant', async () => {
      const { runtime } = await world.open();
      const log: string[] = [];
      const lock = new ReentrantLock(runtime, NAME);
      const acquire = lock.acquire.bind(lock);
      let acquisitions = 0;
      lock.acquire = async (options) => {
        const hold = await acquire(options);
        acquisitions += 1;
        if (acquisitions === 1) {
          await world.probe.remove(NAME);
          hold.grant.lease.lose('gone');
        }
        return hold;
      };
      const onElected = (signal: AbortSignal): void => void log.push(`elected, aborted: ${signal.aborted}`);
      const election = new LeaderElection(lock, { onElected });
      election.start();
      await until(() => election.isLeader);
      expect([acquisitions, log]).toEqual([2, ['elected, aborted: false']]);
      await world.time.finish(election.stop(), LIMIT_MS);
    });

    it('D7: ends with a signal whose listeners are outside the region in which stop() is called', async () => {
      const inside: unknown[] = [];
      const { locks, election } = await candidateOf(world, 'a', [], (signal) => {
        signal.addEventListener('abort', () => inside.push(locks.currentHold()?.name));
      });
      election.start();
      await until(() => election.isLeader);
      const stopped = locks.withLock('n', () => election.stop());
      await world.time.finish(stopped, LIMIT_MS);
      expect(inside).toEqual([undefined]);
    });

    it('LE-08 refuses an invalid candidate', async () => {
      const { locks } = await world.open();
      const stand = (options: object) => () => locks.getLeaderElection(NAME, options as LeaderElectionOptions);
      expect(thrownBy(stand({}), LockOptionsError).message).toContain('onElected must be a function');
      const both = { onElected: () => {}, onDemoted: 'never' };
      expect(thrownBy(stand(both), LockOptionsError).message).toContain('onDemoted must be a function, not "never"');
    });
  });
});
