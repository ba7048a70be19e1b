import { ContextLockState, stateName } from '../../lib/reentrancy/context-lock-state.js';
import { outcomeOf } from '../holds/open-grant.js';
import { newScope, openContexts } from './open-contexts.js';

type Contexts = ReturnType<typeof openContexts>;
type Opened = ReturnType<Contexts['open']>;

/** The fates of a grant, and whether it can be joined after each. */
const FATES: readonly (readonly [fate: string, happen: (opened: Opened) => void, isJoinable: boolean])[] = [
  ['is held', () => {}, true],
  ['is lost', ({ grant }) => grant.lease.lose('gone'), false],
  ['is being released', ({ first }) => void first.release().catch(() => {}), false],
];

describe('The state of a lock in a context', () => {
  it.each(FATES)('offers a grant to be joined, and is not idle, only while it can be joined: it %s', (...row) => {
    const [, happen, isJoinable] = row;
    const opened = openContexts().open();
    const state = new ContextLockState(() => {});
    expect([state.joinableGrant, state.isIdle]).toEqual([undefined, true]);
    state.grant = opened.grant;
    happen(opened);
    expect(state.joinableGrant).toBe(isJoinable ? opened.grant : undefined);
    expect(state.isIdle).toBe(!isJoinable);
  });

  it('stops offering a grant at its deadline, though no timer has run', async () => {
    const { clock, open } = openContexts();
    const { grant } = open();
    const state = new ContextLockState(() => {});
    state.grant = grant;
    await clock.advance(30_000);
    expect(grant.signal.aborted).toBe(false);
    expect([state.joinableGrant, state.isIdle]).toEqual([undefined, true]);
  });

  it.each(['sectionMutex', 'acquireMutex'] as const)('is not idle while its %s is locked', async (mutex) => {
    let idle = 0;
    const state = new ContextLockState(() => void (idle += 1));
    const end = await state[mutex].lock();
    const next = state[mutex].lock();
    expect(state.isIdle).toBe(false);
    end();
    const endNext = await next;
    expect([state.isIdle, idle]).toEqual([false, 0]);
    endNext();
    expect([state.isIdle, idle]).toEqual([true, 1]);
  });
});

describe('The states of the locks in contexts', () => {
  const setUp = () => {
    const contexts = openContexts();
    return { ...contexts, states: contexts.contextLockStates, scope: newScope() };
  };

  it('are one for each context and name, and made when one is taken', () => {
    const { states, scope } = setUp();
    expect(states.find(scope, 'a')).toBeUndefined();
    const state = states.take(scope, 'a');
    expect(states.take(scope, 'a')).toBe(state);
    expect(states.find(scope, 'a')).toBe(state);
    const others = [states.take(scope, 'b'), states.take(newScope(), 'a'), states.take(newScope(), 'a')];
    expect(new Set([state, ...others]).size).toBe(4);
  });

  it.each(['exclusive', 'read', 'write', 'quorum', 'group'] as const)(
    'of family %s have names of their own',
    (family) => {
      expect(stateName(family, 'n')).toBe(`${family} n`);
    },
  );

  it.each(['sectionMutex', 'acquireMutex'] as const)('go when the last turn of their %s ends', async (mutex) => {
    const { states, scope } = setUp();
    const end = await states.take(scope, 'a')[mutex].lock();
    states.removeIfIdle(scope, 'a');
    expect(states.find(scope, 'a')).toBeDefined();
    end();
    expect(states.find(scope, 'a')).toBeUndefined();
  });

  it('stay when a turn ends while the other mutex is locked', async () => {
    const { states, scope } = setUp();
    const state = states.take(scope, 'a');
    const [endSection, endAcquire] = [await state.sectionMutex.lock(), await state.acquireMutex.lock()];
    endSection();
    expect(states.find(scope, 'a')).toBe(state);
    endAcquire();
    expect(states.find(scope, 'a')).toBeUndefined();
  });

  it.each(FATES)('with a grant that %s stay while it can be joined', async (_, happen, isJoinable) => {
    const { states, scope, holdIn } = setUp();
    const opened = holdIn(scope);
    const end = await states.take(scope, 'exclusive n').sectionMutex.lock();
    happen(opened);
    end();
    expect(states.find(scope, 'exclusive n') !== undefined).toBe(isJoinable);
  });

  it('that took the place of one that is gone stay when the old one becomes idle once more', async () => {
    const { states, scope, open } = setUp();
    const old = states.take(scope, 'a');
    states.removeIfIdle(scope, 'a');
    const end = await old.sectionMutex.lock();
    const next = states.take(scope, 'a');
    next.grant = open().grant;
    end();
    expect(next).not.toBe(old);
    expect(states.find(scope, 'a')).toBe(next);
  });

  it('are not made by asking whether they are idle', () => {
    const { states, scope } = setUp();
    states.removeIfIdle(scope, 'a');
    expect(states.find(scope, 'a')).toBeUndefined();
  });
});

describe('A pair of a write and a read grant', () => {
  const setUp = () => {
    const { readWritePairs: pairs, open, ...contexts } = openContexts();
    const [write, read] = [open({ family: 'write' }), open({ family: 'read' })];
    return { ...contexts, pairs, write, read, open };
  };

  it('is found from both sides, and only after it was added', () => {
    const { pairs, write, read } = setUp();
    expect([pairs.readOf(write.grant), pairs.writeOf(read.grant)]).toEqual([undefined, undefined]);
    pairs.add(write.grant, read.grant);
    expect(pairs.readOf(write.grant)).toBe(read.grant);
    expect(pairs.writeOf(read.grant)).toBe(write.grant);
    expect([pairs.readOf(read.grant), pairs.writeOf(write.grant)]).toEqual([undefined, undefined]);
  });

  it.each(FATES)('whose read grant %s: the read grant is found while it can be joined', (_, happen, isJoinable) => {
    const { pairs, write, read } = setUp();
    pairs.add(write.grant, read.grant);
    happen(read);
    expect(pairs.readOf(write.grant)).toBe(isJoinable ? read.grant : undefined);
    expect(pairs.writeOf(read.grant)).toBe(write.grant);
  });

  it.each(FATES)('whose write grant %s: the write grant is found while it can be joined', (_, happen, isJoinable) => {
    const { pairs, write, read } = setUp();
    pairs.add(write.grant, read.grant);
    happen(write);
    expect(pairs.writeOf(read.grant)).toBe(isJoinable ? write.grant : undefined);
    expect(pairs.readOf(write.grant)).toBe(read.grant);
  });

  it('takes the next read grant of the writer when the first is released', () => {
    const { pairs, write, read, open } = setUp();
    pairs.add(write.grant, read.grant);
    void read.first.release().catch(() => {});
    const next = open({ family: 'read' });
    pairs.add(write.grant, next.grant);
    expect(pairs.readOf(write.grant)).toBe(next.grant);
    expect(pairs.writeOf(read.grant)).toBe(write.grant);
  });

  it('has one state for each write grant, which stays while it is idle', async () => {
    const { clock, pairs, write, open } = setUp();
    const state = pairs.stateOf(write.grant);
    const end = await state.acquireMutex.lock();
    const waiting = outcomeOf(pairs.stateOf(write.grant).acquireMutex.lock());
    await clock.advance(0);
    expect(waiting.end).toBe('pending');
    end();
    expect(pairs.stateOf(write.grant)).toBe(state);
    expect(pairs.stateOf(open({ family: 'write' }).grant)).not.toBe(state);
  });
});
