import type { GrantedHold } from '../../../lib/holds/granted-hold.js';
import type { CollectionListener } from '../../../lib/holds/seat.js';
import { openGrant, type GrantOptions } from '../open-grant.js';

/** A grant of a process whose garbage collection the test plays. */
const openForgetful = (options: GrantOptions = {}) => {
  const collected: CollectionListener[] = [];
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
  const forget = (): void => collected.splice(0).forEach((listener) => listener.onCollected());
  const told = () => emitted.filter(({ type }) => type === 'forgotten');
  return { ...connection, joined, newHold, forget, told };
};

describe('D61: a hold that was collected before its release', () => {
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
    expect(told()).toEqual([]);
  });
});
