import { keepForBeneficiary } from '../../lib/reentrancy/context-lock-state.js';
import { outcomeOf } from '../holds/open-grant.js';
import { newScope, openContexts } from './open-contexts.js';

const STATE = 'exclusive n';

const setUp = () => {
  const { region, contextLockStates: states, ...contexts } = openContexts();
  const { context: caller, first, grant } = region();
  const beneficiary = newScope();
  const keep = (): void => keepForBeneficiary(beneficiary, states, first, caller);
  /** The wait of a later call for its turn, for the same beneficiary. */
  const turn = () => outcomeOf(states.take(beneficiary, STATE).sectionMutex.lock());
  return { ...contexts, states, caller, first, grant, beneficiary, keep, turn };
};

describe('A hold that is kept for a beneficiary', () => {
  it('can be joined by its later calls at once, whose turn comes when the context of the caller has closed', async () => {
    const { clock, states, caller, grant, beneficiary, keep, turn } = setUp();
    keep();
    expect(states.find(beneficiary, STATE)?.joinableGrant).toBe(grant);
    const waiting = turn();
    await clock.advance(0);
    expect(waiting.end).toBe('pending');
    caller.close();
    await clock.advance(0);
    expect(waiting.end).toEqual(expect.any(Function));
  });

  it.each(['before', 'in the same turn as'])('whose caller closes %s it is kept does not wait', async (when) => {
    const { clock, caller, keep, turn } = setUp();
    if (when === 'before') caller.close();
    keep();
    caller.close();
    const waiting = turn();
    await clock.advance(0);
    expect(waiting.end).toEqual(expect.any(Function));
  });

  it('is kept once: a repetition does not wait for another turn', async () => {
    const { clock, caller, keep, turn } = setUp();
    keep();
    keep();
    await clock.advance(0);
    caller.close();
    const waiting = turn();
    await clock.advance(0);
    expect(waiting.end).toEqual(expect.any(Function));
  });

  it('does not change the existing hold of the beneficiary', async () => {
    const { clock, states, beneficiary, holdIn, keep, turn } = setUp();
    const own = holdIn(beneficiary);
    keep();
    const waiting = turn();
    await clock.advance(0);
    expect(waiting.end).toEqual(expect.any(Function));
    expect(states.find(beneficiary, STATE)?.grant).toBe(own.grant);
  });

  it.each(['lost', 'released'])('replaces the hold of the beneficiary if that is %s', (fate) => {
    const { states, grant, beneficiary, holdIn, keep } = setUp();
    const own = holdIn(beneficiary);
    if (fate === 'lost') own.grant.lease.lose('gone');
    else void own.first.release().catch(() => {});
    keep();
    expect(states.find(beneficiary, STATE)?.joinableGrant).toBe(grant);
  });

  it('waits for a running call of the beneficiary, and precedes later ones', async () => {
    const { clock, states, caller, beneficiary, keep, turn } = setUp();
    const end = await states.take(beneficiary, STATE).sectionMutex.lock();
    keep();
    const later = turn();
    end();
    await clock.advance(0);
    expect(later.end).toBe('pending');
    caller.close();
    await clock.advance(0);
    expect(later.end).toEqual(expect.any(Function));
  });

  it('stays joinable when the caller has closed, and is forgotten if it was released before', async () => {
    for (const isReleased of [false, true]) {
      const { clock, states, caller, first, grant, beneficiary, keep } = setUp();
      keep();
      await clock.advance(0);
      if (isReleased) void first.release().catch(() => {});
      caller.close();
      expect(states.find(beneficiary, STATE)?.grant).toBe(isReleased ? undefined : grant);
    }
  });
});
