import { currentContext, HoldContext, runInContext } from '../../lib/context/owner-context.js';
import { CompositeHold } from '../../lib/holds/multi-hold.js';
import { currentHold } from '../../lib/reentrancy/current-hold.js';
import { newScope, openContexts } from './open-contexts.js';

describe('The current hold', () => {
  it('without a name is that of the innermost context on one of the connections, and never that of a scope', () => {
    const [ours, theirs] = [openContexts(), openContexts()];
    const outer = ours.region({ name: 'a' });
    const inner = theirs.region({ name: 'b' }, outer.context);
    const scope = newScope(inner.context);
    ours.holdIn(scope, { name: 'c' });
    runInContext(scope, () => {
      expect(currentHold([ours.runtime], undefined)).toBe(outer.first);
      expect(currentHold([theirs.runtime], undefined)).toBe(inner.first);
      expect(currentHold([ours.runtime, theirs.runtime], undefined)).toBe(inner.first);
      expect(currentHold([], undefined)).toBeUndefined();
    });
    expect(currentContext()).toBeUndefined();
    expect(currentHold([ours.runtime], undefined)).toBeUndefined();
  });

  it('by a name has the prefix of its connection, in contexts and in scopes', () => {
    const { region, holdIn, runtime } = openContexts({ keyPrefix: 'p:' });
    const { context, first } = region({ name: 'p:a' });
    const scope = newScope(context);
    const inScope = holdIn(scope, { name: 'p:b', family: 'write' });
    runInContext(scope, () => {
      expect(currentHold([runtime], 'a')).toBe(first);
      expect(currentHold([runtime], 'b')).toBe(inScope.first);
      expect(['p:a', 'p:b', 'c'].map((name) => currentHold([runtime], name))).toEqual(Array(3).fill(undefined));
    });
  });

  it.each(['is lost', 'is being released', 'belongs to a callback'])('of a scope is none that %s', (fate) => {
    const { holdIn, open, contextLockStates, runtime } = openContexts();
    const scope = newScope();
    const opened = fate === 'belongs to a callback' ? open({ lifetime: 'scoped' }) : holdIn(scope);
    contextLockStates.take(scope, 'exclusive n').grant = opened.grant;
    if (fate === 'is lost') opened.grant.lease.lose('gone');
    if (fate === 'is being released') void opened.first.release().catch(() => {});
    expect(runInContext(scope, () => currentHold([runtime], 'n'))).toBeUndefined();
  });

  it('of several locks is found without a name, if a member is of one of the connections', () => {
    const [ours, theirs] = [openContexts(), openContexts()];
    const composite = new CompositeHold([ours.open({ name: 'a' }).first, ours.open({ name: 'b' }).first], 0);
    runInContext(new HoldContext(composite, undefined), () => {
      expect(currentHold([ours.runtime], undefined)).toBe(composite);
      expect(currentHold([theirs.runtime], undefined)).toBeUndefined();
      expect(currentHold([ours.runtime], 'a')).toBeUndefined();
    });
  });
});
