import { LockNameError } from '../../lib/standalone.js';
import { currentContext, HoldContext, runInContext } from '../../lib/context/owner-context.js';
import { CompositeHold } from '../../lib/holds/multi-hold.js';
import { currentHold, currentHoldOn } from '../../lib/reentrancy/current-hold.js';
import { newScope, openContexts } from './open-contexts.js';

describe('The current hold', () => {
  it('without a name is that of the innermost context on one of the connections, and never that of a scope', () => {
    const [ours, theirs] = [openContexts(), openContexts()];
    const outer = ours.region({ name: 'a' });
    const inner = theirs.region({ name: 'b' }, outer.context);
    const scope = newScope(inner.context);
    ours.holdIn(scope, { name: 'c' });
    runInContext(scope, () => {
      expect(currentHoldOn([ours.runtime], undefined)).toBe(outer.first);
      expect(currentHoldOn([theirs.runtime], undefined)).toBe(inner.first);
      expect(currentHoldOn([ours.runtime, theirs.runtime], undefined)).toBe(inner.first);
      expect(currentHoldOn([], undefined)).toBeUndefined();
    });
    expect(currentContext()).toBeUndefined();
    expect(currentHoldOn([ours.runtime], undefined)).toBeUndefined();
  });

  it('by a name has the prefix of its connection, in contexts and in scopes', () => {
    const { region, holdIn, runtime } = openContexts({ keyPrefix: 'p:' });
    const { context, first } = region({ name: 'p:a' });
    const scope = newScope(context);
    const inScope = holdIn(scope, { name: 'p:b', family: 'write' });
    runInContext(scope, () => {
      expect(currentHoldOn([runtime], 'a')).toBe(first);
      expect(currentHoldOn([runtime], 'b')).toBe(inScope.first);
      expect(['p:a', 'p:b', 'c'].map((name) => currentHoldOn([runtime], name))).toEqual(Array(3).fill(undefined));
    });
  });

  it.each(['is lost', 'is being released', 'belongs to a callback'])('of a scope is none that %s', (fate) => {
    const { holdIn, open, contextLockStates, runtime } = openContexts();
    const scope = newScope();
    const opened = fate === 'belongs to a callback' ? open({ lifetime: 'scoped' }) : holdIn(scope);
    contextLockStates.take(scope, 'exclusive n').grant = opened.grant;
    if (fate === 'is lost') opened.grant.lease.lose('gone');
    if (fate === 'is being released') void opened.first.release().catch(() => {});
    expect(runInContext(scope, () => currentHoldOn([runtime], 'n'))).toBeUndefined();
  });

  it('of several locks is found without a name, if a member is of one of the connections', () => {
    const [ours, theirs] = [openContexts(), openContexts()];
    const composite = new CompositeHold([ours.open({ name: 'a' }).first, ours.open({ name: 'b' }).first], 0);
    runInContext(new HoldContext(composite, undefined), () => {
      expect(currentHoldOn([ours.runtime], undefined)).toBe(composite);
      expect(currentHoldOn([theirs.runtime], undefined)).toBeUndefined();
      expect(currentHoldOn([ours.runtime], 'a')).toBeUndefined();
    });
  });

  it('imported, is that of the innermost callback on any connection, or of the named lock', () => {
    const [ours, theirs] = [openContexts({ keyPrefix: 'p:' }), openContexts()];
    const outer = ours.region({ name: 'p:a' });
    const inner = theirs.region({ name: 'b' }, outer.context);
    const scope = newScope(inner.context);
    ours.holdIn(scope, { name: 'p:c' });
    expect(currentHold()).toBeUndefined();
    runInContext(scope, () => {
      expect(currentHold()).toBe(inner.first);
      expect([currentHold('a'), currentHold('b')]).toEqual([outer.first, inner.first]);
      expect([currentHold('p:a'), currentHold('c')]).toEqual([undefined, undefined]);
      expect(() => currentHold('')).toThrow(LockNameError);
      expect(() => currentHold(7 as never)).toThrow('is not a string');
    });
    const composite = new CompositeHold([outer.first], 0);
    runInContext(new HoldContext(composite, outer.context), () => {
      expect([currentHold(), currentHold('a')]).toEqual([composite, outer.first]);
    });
  });
});
