import type { GrantedHold } from '../../../lib/holds/granted-hold.js';
import { openGrant, type GrantOptions, TIMEOUT } from '../open-grant.js';

/** A grant of a process whose garbage collection the test plays. */
const openForgetful = (options: GrantOptions = {}) => {
  const collected: (() => void)[] = [];
  const connection = openGrant({ lifetime: 'scoped', ...options });
  const { services, newHold, grant, lock, emitted } = connection;
  services.grants.whenCollected = (_, listener) => void collected.push(listener);
  const joined = async (hold: GrantedHold, lease?: number): Promise<GrantedHold> => {
    const joining = grant.reenter(hold, lease);
    lock.answerHeld();
    await joining;
    // A round of the watchdog.
    grant.checkAge();
    return hold;
  };
  const forget = (): void => collected.splice(0).forEach((listener) => listener());
  services.events.on((event) => void emitted.push(event), ['released']);
  const told = (): unknown[] =>
    emitted.flatMap((event) => {
      if (event.type === 'forgotten') return [`forgotten ${event.lockName} of ${event.owner} at ${event.acquiredAt}`];
      return event.type === 'released' ? [event.how] : [];
    });
  return { ...connection, joined, newHold, forget, told };
};

const TOLD = 'forgotten n of me:1 at undefined';

describe('D61: a hold that was collected before its release', () => {
  it('is told once, and no longer renewed, if it is the last of its grant', async () => {
    const { first, newHold, joined, lock, clock, forget, told, services } = openForgetful();
    await joined(newHold());
    first.abandon();
    forget();
    await clock.advance(TIMEOUT);
    expect(told()).toEqual([TOLD, 'abandoned']);
    expect([lock.renewals.requests, services.grants.size]).toEqual([[], 0]);
  });

  it('leaves another hold of its owner as it is: that is renewed until its release', async () => {
    const { first, newHold, joined, lock, clock, forget, told } = openForgetful();
    await joined(newHold());
    forget();
    await clock.advance(TIMEOUT / 3);
    lock.answerRenewal(true);
    await clock.advance(0);
    first.assertHeld();
    expect(told()).toEqual([TOLD]);
    const releasing = first.release();
    lock.releases.next().answer({ outcome: 'released' });
    await releasing;
    expect(told()).toEqual([TOLD, 'released']);
  });

  it.each([
    { what: 'was released', end: async ({ lock }, hold) => (void hold.release(), lock.answerHeld()) },
    { what: 'was abandoned', end: async (_, hold) => hold.abandon() },
    { what: 'was lost', end: async ({ grant }) => grant.lease.lose('gone') },
    {
      what: 'was given a lease of its own, as the members of a multi-lock are',
      end: async ({ lock }, hold) => (void hold.limit(1000), lock.answerHeld()),
    },
    { what: 'ends with a lease of its own', lease: 1000, end: async () => {} },
  ] satisfies readonly {
    readonly what: string;
    readonly lease?: number;
    readonly end: (opened: ReturnType<typeof openForgetful>, hold: GrantedHold) => Promise<void>;
  }[])('is not told if it $what', async ({ lease, end }) => {
    const opened = openForgetful();
    const { joined, newHold, clock, forget, told } = opened;
    await end(opened, await joined(newHold(), lease));
    await clock.advance(0);
    forget();
    expect(told().filter((line) => line === TOLD)).toEqual([]);
  });
});
