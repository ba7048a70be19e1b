import { expectWithin, settled } from './observe.js';
import { ServedTime } from '../kit/served-time.js';
import { until } from '../kit/until.js';
import { DEADLINE, RECONNECT, useServerFixture } from './server-fixture.js';

const NAME = 'reports';
/** The lease of leaders in these tests, ms: no stall of a busy machine between a renewal and the fault ends it. */
const LEASE = 3000;
/** The pause until a candidate that failed tries again, ms. */
const PAUSE = 1000;
const LIMIT = RECONNECT + PAUSE + LEASE + 2000;

describe('A leader whose server is away', () => {
  const fixture = useServerFixture();
  let log: string[];

  beforeEach(() => {
    log = [];
  });

  afterEach(async () => {
    if (!fixture().server.isRunning) await fixture().server.restart();
    fixture().server.resume();
  });

  const stand = async (who: string) => {
    const client = fixture().open(fixture().server.url, { renewedLease: LEASE });
    await client.connected();
    let told = 0;
    const election = client.locks.getLeaderElection(NAME, {
      onElected: (signal) => {
        log.push(`${who} elected`);
        signal.addEventListener('abort', () => (told = performance.now()));
      },
      onDemoted: () => void log.push(`${who} demoted`),
    });
    election.start();
    fixture().after(() => election.stop());
    return { election, toldAt: () => told };
  };

  /** Makes one candidate the leader, and another one wait. */
  const standTogether = async () => {
    const leader = await stand('leader');
    await until(() => leader.election.isLeader, LIMIT, 'one is elected');
    const candidate = await stand('candidate');
    await fixture().listening(NAME);
    return { leader, candidate };
  };

  /**
   * Waits until a renewal has just been answered, so that none is due for long. Resolves with the earliest instant at
   * which its lease may end.
   */
  const justRenewed = async (): Promise<number> => {
    let end = 0;
    const isFresh = async (): Promise<boolean> => {
      const asked = performance.now();
      const left = await fixture().admin.pttl(NAME);
      end = asked + left;
      return left > LEASE * 0.8;
    };
    await until(isFresh, LEASE, 'it is renewed');
    return end;
  };

  it.each(['frozen', 'gone'])(
    '(%s) steps down before its lease can have ended, and no other leads before',
    async (how) => {
      const { leader, candidate } = await standTogether();
      const end = await justRenewed();
      const time = new ServedTime();
      if (how === 'frozen') fixture().server.pause();
      else await fixture().server.kill9();
      await until(() => log.includes('leader demoted'), LIMIT, 'it was told');
      time.stop();
      expect(leader.toldAt() - time.longestStall).toBeLessThan(end);
      expect(leader.election.isLeader).toBe(false);
      expect(log).toEqual(['leader elected', 'leader demoted']);

      if (how === 'frozen') fixture().server.resume();
      else await fixture().server.restart();
      await until(() => log.length === 3, LIMIT, 'one is elected again');
      expect([leader, candidate].filter(({ election }) => election.isLeader)).toHaveLength(1);
    },
  );

  it('(frozen) still stops at once, and no longer leads when the server is back', async () => {
    const { leader, candidate } = await standTogether();
    await justRenewed();
    fixture().server.pause();
    const stopped = await settled(() => Promise.all([candidate.election.stop(), leader.election.stop()]));
    expectWithin(stopped, 2 * DEADLINE + 200);
    expect(log).toEqual(['leader elected', 'leader demoted']);
    fixture().server.resume();
    await until(async () => (await fixture().admin.exists(NAME)) === 0, LIMIT, 'the lock is free');
    expect([leader, candidate].map(({ election }) => election.state)).toEqual(['idle', 'idle']);
    expect(log).toHaveLength(2);
  });

  it('(suspended) sees by the clock that it no longer leads', async () => {
    const { election } = await stand('leader');
    await until(() => election.isLeader, LIMIT, 'it is elected');
    // No timer runs meanwhile, as in a long garbage collection or on a suspended machine.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LEASE);
    expect(election.isLeader).toBe(false);
    await until(() => log.length === 3, LIMIT, 'it was told, and is elected again');
  });
});
