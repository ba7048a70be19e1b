import { currentContext, OwnerContext, runInContext } from '../../lib/context/owner-context.js';
import { runFor } from '../../lib/context/shared-context.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import { CompositeHold } from '../../lib/holds/multi-hold.js';
import { currentHold } from '../../lib/reentrancy/enclosing-holds.js';
import { newScope, openContexts } from './open-contexts.js';

describe('The hold that covers the running code', () => {
  it('is none outside all regions', () => {
    const { enclosing } = openContexts();
    expect(enclosing().covering('exclusive')).toBeUndefined();
    expect([enclosing().scope(), enclosing().beneficiary()]).toEqual([undefined, undefined]);
  });

  it('is that of the innermost region, and that of the next one when the inner has closed', () => {
    const { enclosing, region } = openContexts();
    const outer = region({ owner: 'me:1' });
    const inner = region({ owner: 'me:2' }, outer.context);
    const covering = () => runInContext(inner.context, () => enclosing().covering('exclusive'));
    expect(covering()).toEqual({ context: inner.context, grant: inner.grant });
    inner.context.close();
    expect(covering()).toEqual({ context: outer.context, grant: outer.grant });
    outer.context.close();
    expect(covering()).toBeUndefined();
  });

  it.each([
    { other: 'the name', hold: { name: 'm' }, asked: 'n', family: 'exclusive' },
    { other: 'the family', hold: { family: 'quorum' }, asked: 'n', family: 'exclusive' },
    { other: 'the half', hold: { family: 'write' }, asked: 'n', family: 'read' },
  ] as const)('is not one that differs in $other', ({ hold, asked, family }) => {
    const { enclosing, region, holdIn } = openContexts();
    const scope = newScope(region(hold).context);
    holdIn(scope, hold);
    expect(runInContext(scope, () => enclosing(asked).covering(family))).toBeUndefined();
  });

  it('is not one of another connection', () => {
    const [ours, theirs] = [openContexts(), openContexts()];
    const scope = newScope(theirs.region().context);
    theirs.holdIn(scope);
    expect(runInContext(scope, () => ours.enclosing().covering('exclusive'))).toBeUndefined();
  });

  it('is that of a scope, inside of which a region holds something else', () => {
    const { enclosing, region, holdIn } = openContexts();
    const scope = newScope();
    const { grant } = holdIn(scope);
    const { context } = region({ name: 'm' }, scope);
    expect(runInContext(context, () => enclosing().covering('exclusive'))).toEqual({ context: scope, grant });
  });

  it.each([
    { fate: 'is lost', inRegion: 'inner', inScope: 'outer' },
    { fate: 'is being released', inRegion: 'outer', inScope: 'outer' },
    { fate: 'is being released while a re-entry is on its way', inRegion: 'inner', inScope: 'inner' },
  ])(
    'where the inner of two holds $fate is the $inRegion one if that is a region, the $inScope one if a scope',
    (row) => {
      for (const isScope of [false, true]) {
        const { enclosing, region, holdIn } = openContexts();
        const outer = region({ owner: 'me:1' });
        const scope = newScope(outer.context);
        const inner = isScope ? { ...holdIn(scope), context: scope } : region({ owner: 'me:2' }, outer.context);
        const { grant, first } = inner;
        if (row.fate.includes('re-entry')) void grant.reenter(new GrantedHold(grant, 'scoped', 0), undefined);
        if (row.fate === 'is lost') grant.lease.lose('gone');
        else void first.release().catch(() => {});
        const found = runInContext(inner.context, () => enclosing().covering('exclusive'))?.grant;
        const expected = isScope ? row.inScope : row.inRegion;
        // A region refuses to go on with what is lost; a scope may take it again.
        expect(found === grant ? 'inner' : 'outer').toBe(expected);
      }
    },
  );
});

describe.each([
  { asked: 'read', other: 'write' },
  { asked: 'write', other: 'read' },
] as const)('The $asked half of a read-write lock in the region of the $other half', ({ asked, other }) => {
  it.each(['is held', 'is lost', 'is being released'])('is found by the pair while it %s', (fate) => {
    for (const isScope of [false, true]) {
      const { enclosing, region, holdIn, open, readWritePairs } = openContexts();
      const scope = newScope();
      const held = isScope ? { ...holdIn(scope, { family: other }), context: scope } : region({ family: other });
      const half = open({ family: asked });
      const [write, read] = asked === 'read' ? [held, half] : [half, held];
      readWritePairs.add(write.grant, read.grant);
      if (fate === 'is lost') half.grant.lease.lose('gone');
      if (fate === 'is being released') void half.first.release().catch(() => {});
      const found = enclosing().heldIn(held.context, asked);
      expect(found === half.grant).toBe(fate === 'is held');
      expect(enclosing().heldIn(held.context, other)).toBe(held.grant);
    }
  });

  it.each([asked, other])('is not found as the %s half that its own region is releasing', (family) => {
    const { enclosing, region } = openContexts();
    const { context, first } = region({ family });
    void first.release().catch(() => {});
    expect(enclosing().heldIn(context, family)).toBeUndefined();
  });

  it('is not found where the owner has only one half', () => {
    const { enclosing, region } = openContexts();
    expect(enclosing().heldIn(region({ family: other }).context, asked)).toBeUndefined();
  });
});

describe('The scope of the running code', () => {
  it('is the innermost one around it, and new locks of a transaction belong to that of the transaction', async () => {
    const { enclosing, region, holdIn } = openContexts();
    const scope = newScope();
    const { context } = region({}, scope);
    const transaction = {};
    await runInContext(context, async () => {
      expect([enclosing().scope(), enclosing().beneficiary()]).toEqual([scope, undefined]);
      const beneficiary = await runFor(transaction, async () => enclosing().beneficiary());
      await runFor(transaction, async () => {
        expect(beneficiary).toBeDefined();
        expect([enclosing().scope(), enclosing().beneficiary()]).toEqual([beneficiary, beneficiary]);
        if (beneficiary) holdIn(beneficiary, { name: 'm' });
        // The locks of the caller come first, and then those of the transaction.
        expect(enclosing('n').covering('exclusive')?.context).toBe(context);
        expect(enclosing('m').covering('exclusive')?.context).toBe(beneficiary);
      });
      expect(enclosing('m').covering('exclusive')).toBeUndefined();
    });
  });
});

describe('The current hold', () => {
  it('without a name is that of the innermost region on one of the connections, and never that of a scope', () => {
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

  it('by a name has the prefix of its connection, in regions and in scopes', () => {
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
    runInContext(new OwnerContext(composite), () => {
      expect(currentHold([ours.runtime], undefined)).toBe(composite);
      expect(currentHold([theirs.runtime], undefined)).toBeUndefined();
      expect(currentHold([ours.runtime], 'a')).toBeUndefined();
    });
  });
});
