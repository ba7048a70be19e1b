import type { NextEntry, ServerWait, ServerWaitListener } from '../../lib/waiting/attempt-strategy.js';
import type { Thing } from './scripted-attempts.js';
import { AcquirerBench } from './wait-queue-bench.js';

/** Announced to this client and to a peer that asks. */
const RELEASED = { outcome: 'released', heard: 2, asking: 1 } as const;

/** Waiters that a peer grants to, with releases whose replies the test gives. */
class GrantedBench extends AcquirerBench {
  listener: ServerWaitListener<Thing> | undefined;
  private entries = 0;

  constructor() {
    super();
    const { attempts } = this;
    const serverWait: ServerWait<number, Thing> = {
      isListening: true,
      isWaiting: () => false,
      listen: () => {},
      attempt: (wanted) => attempts.attempt('n', wanted),
      entryFor: () => this.newEntry(),
      withdraw: () => {},
      close: () => {},
    };
    Object.assign(attempts, {
      waitOnServer: (_name: string, _pubSub: unknown, listener: ServerWaitListener<Thing>) => {
        this.listener = listener;
        return serverWait;
      },
    });
  }

  /** An entry of which the reply to the release tells nothing: its grant came before. */
  private newEntry(): NextEntry<Thing> {
    this.entries += 1;
    const entry = { owner: `us:${this.entries}`, lease: 1000, firstLease: 1000 };
    return { ...entry, afterRelease: () => undefined, onSettled: () => {} };
  }
}

describe('A grant that comes before the reply to the release that carried its entry', () => {
  it.each([
    { outcome: { outcome: 'passed-on' } as const, announced: 0 },
    { outcome: undefined, announced: 0 },
    { outcome: RELEASED, announced: 1 },
  ])(
    'D51: leaves as many announcements to come as there were announced releases: 1 + $announced after $outcome.outcome',
    async ({ outcome, announced }) => {
      const bench = new GrantedBench();
      for (const who of ['a', 'b', 'c']) bench.acquire(who);
      await bench.untilAsleep();
      const first = bench.acquirer.beforeRelease('n');
      bench.listener?.onGranted({ id: 1 });
      const second = bench.acquirer.beforeRelease('n');
      bench.acquirer.afterRelease('n', outcome, first);
      bench.acquirer.afterRelease('n', RELEASED, second);
      const { length } = bench.attempts.sent;
      // Our own, and then the one of the peer that went first.
      for (let own = 0; own < 1 + announced; own += 1) bench.pubSub.announce();
      await bench.clock.advance(0);
      expect(bench.attempts.sent).toHaveLength(length);
      bench.pubSub.announce();
      await bench.clock.advance(0);
      expect(bench.attempts.sent).toHaveLength(length + 1);
    },
  );
});
