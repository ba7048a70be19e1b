import type { LockService } from '../../lib/index.js';
import { onEveryBackend } from '../kit/every-backend.js';
import { Gate } from '../kit/gate.js';
import { until } from '../kit/until.js';

/** Each kind, and work under a lock of it. */
const KINDS: readonly (readonly [
  kind: string,
  how: string,
  run: (locks: LockService, work: Work) => Promise<unknown>,
])[] = [
  ['reentrant', 'a plain lock', (locks, work) => locks.withLock('a', work)],
  ['reentrant', 'a lock that is not reentrant', (locks, work) => locks.getNonReentrantLock('a').withLock(work)],
  ['fair', 'a fair lock', (locks, work) => locks.getFairLock('a').withLock(work)],
  ['fenced', 'a fenced lock', (locks, work) => locks.getFencedLock('a').withLock(work)],
  ['spin', 'a spin lock', (locks, work) => locks.getSpinLock('a').withLock(work)],
  ['group', 'a group lock', (locks, work) => locks.getGroupLock('a', ['1']).withLock(work)],
  ['write', 'a write lock', (locks, work) => locks.getReadWriteLock('a').writeLock().withLock(work)],
  [
    'write',
    'a write lock that readers let pass',
    (locks, work) => locks.getReadWriteLock('a', { preference: 'writer' }).writeLock().withLock(work),
  ],
  ['limit', 'a limit', (locks, work) => locks.withLock('a', { limit: 1 }, work)],
  ['limit', 'a fair limit', (locks, work) => locks.withLock('a', { limit: 1, fair: true }, work)],
  [
    'permitExpirableSemaphore',
    'a permit with an id',
    (locks, work) => locks.getPermitExpirableSemaphore('permits').withPermit(work),
  ],
];

type Work = () => Promise<void>;

onEveryBackend((world) => {
  describe('The statistics of a process', () => {
    it.each(KINDS)('count what it holds and waits for, of %s: %s', async (kind, _, run) => {
      const { locks } = await world.open();
      await locks.getPermitExpirableSemaphore('permits').trySetPermits(1);
      expect(locks.stats()).toMatchObject({ held: 0, waiting: 0 });
      const gate = new Gate();
      const holding = run(locks, () => gate.pass());
      await gate.reached;
      const waiting = [1, 2].map(() => run(locks, async () => {}));
      await until(() => locks.stats().waiting === 2);
      expect(locks.stats()).toEqual({
        held: 1,
        waiting: 2,
        watchdogLag: expect.any(Number),
        connections: [
          {
            connection: 'default',
            held: 1,
            waiting: 2,
            watchdogLag: expect.any(Number),
            templates: [{ kind, template: undefined, held: 1, waiting: 2 }],
          },
        ],
      });
      gate.open();
      await world.time.finish(Promise.all([holding, ...waiting]), 5000);
      expect(locks.stats()).toMatchObject({ held: 0, waiting: 0 });
    });

    it('do not count permits without an owner, which belong to no process, but those who wait for one', async () => {
      const { locks } = await world.open();
      const semaphore = locks.getSemaphore('s');
      await semaphore.trySetPermits(1);
      await semaphore.acquire();
      const waiting = semaphore.acquire();
      await until(() => locks.stats().waiting === 1);
      expect(locks.stats().connections).toMatchObject([{ held: 0, templates: [{ kind: 'semaphore', waiting: 1 }] }]);
      await semaphore.release();
      await world.time.finish(waiting, 5000);
    });

    it('count a lock once that is held twice, and locks of one template together', async () => {
      const { locks } = await world.open();
      await locks.withLock('a', () =>
        locks.withLock('a', () =>
          locks.withLock('b', () => expect(locks.stats().connections[0]?.templates).toMatchObject([{ held: 2 }])),
        ),
      );
    });

    it('are those of the process alone', async () => {
      const [{ locks }, { locks: other }] = [await world.open(), await world.open()];
      await locks.withLock('a', () => {
        expect(other.stats().held).toBe(0);
        expect(locks.forConnection('default').stats().held).toBe(1);
      });
    });
  });
});
