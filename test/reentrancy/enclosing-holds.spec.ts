import {
  currentBeneficiary,
  currentScope,
  type OwnerContext,
  RequestContext,
  runInContext,
  type ScopeContext,
} from '../../lib/context/owner-context.js';
import { runFor } from '../../lib/context/run-in-scope.js';
import { GrantedHold } from '../../lib/holds/granted-hold.js';
import type { LockFamily } from '../../lib/holds/lock-kind.js';
import { newScope, openContexts } from './open-contexts.js';

describe('The hold that covers the running code', () => {
  it('is that of the innermost context, and that of the next one when the inner has closed', () => {
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

  it('is that of a scope although a context inside holds another lock', () => {
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
        // A region refuses to continue with a lost lock, while a scope may acquire it again.
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

  it.each([asked, other])('is not found as the %s half that its own context is releasing', (family) => {
    const { enclosing, region } = openContexts();
    const { context, first } = region({ family });
    void first.release().catch(() => {});
    expect(enclosing().heldIn(context, family)).toBeUndefined();
  });
});

describe('The scope of the running code', () => {
  it('is the innermost one around it, and new locks of a transaction belong to that of the transaction', async () => {
    const { enclosing, region, holdIn } = openContexts();
    const scope = newScope();
    const { context } = region({}, scope);
    const transaction = {};
    await runInContext(context, async () => {
      expect([currentScope(), currentBeneficiary()]).toEqual([scope, undefined]);
      const beneficiary = await runFor(transaction, async () => currentBeneficiary());
      await runFor(transaction, async () => {
        expect(beneficiary).toBeDefined();
        expect([currentScope(), currentBeneficiary()]).toEqual([beneficiary, beneficiary]);
        if (beneficiary) holdIn(beneficiary, { name: 'm' });
        // The locks of the caller come first, and then those of the transaction.
        expect(enclosing('n').covering('exclusive')?.context).toBe(context);
        expect(enclosing('m').covering('exclusive')?.context).toBe(beneficiary);
      });
      expect(enclosing('m').covering('exclusive')).toBeUndefined();
    });
  });
});

type Contexts = ReturnType<typeof openContexts>;

/** A scope that holds a lock of the family. */
const holdingScope = ({ holdIn }: Contexts, family: LockFamily): ScopeContext => {
  const scope = newScope();
  holdIn(scope, { family });
  return scope;
};

/** The contexts around code that wants a lock of the family, and the owner as which it acquires that. */
const HOLDERS: readonly (readonly [string, string, LockFamily, (contexts: Contexts) => OwnerContext])[] = [
  ['a request', 'new-owner', 'exclusive', () => new RequestContext(new AbortController().signal, undefined)],
  ['a hold of another lock', 'new-owner', 'exclusive', ({ region }) => region({ name: 'm' }).context],
  ['its hold', 'holder', 'exclusive', ({ region }) => region().context],
  ['its hold, in a scope', 'holder', 'exclusive', ({ region }) => region({}, newScope()).context],
  ['a scope, in its hold', 'holder', 'exclusive', ({ region }) => newScope(region().context)],
  ['a scope', 'scope', 'exclusive', () => newScope()],
  ['a scope that holds it', 'holder', 'exclusive', (contexts) => holdingScope(contexts, 'exclusive')],
  ['a write hold', 'writer', 'read', ({ region }) => region({ family: 'write' }).context],
  ['a write hold, in a scope', 'writer', 'read', ({ region }) => region({ family: 'write' }, newScope()).context],
  ['a scope that writes', 'scope', 'read', (contexts) => holdingScope(contexts, 'write')],
  ['a read hold', 'new-owner', 'write', ({ region }) => region({ family: 'read' }).context],
  ['a scope that reads', 'scope', 'write', (contexts) => holdingScope(contexts, 'read')],
];

describe('The running code acquires', () => {
  it.each(HOLDERS)('within %s as %s, in family %s', (_, as, family, context) => {
    const contexts = openContexts();
    expect(runInContext(context(contexts), () => contexts.enclosing().holder(family).as)).toBe(as);
  });

  it('in the scope that writes, although it is in another scope as well', () => {
    const contexts = openContexts();
    const writing = holdingScope(contexts, 'write');
    const found = runInContext(newScope(writing), () => contexts.enclosing().holder('read'));
    expect(found).toEqual({ as: 'scope', scope: writing });
  });

  it.each(['holder', 'writer'] as const)('as the %s no more, once that has released', (as) => {
    const { enclosing, region } = openContexts();
    const { context, first } = region({ family: 'write' });
    const decide = () => runInContext(context, () => enclosing().holder(as === 'holder' ? 'write' : 'read').as);
    expect(decide()).toBe(as);
    void first.release().catch(() => {});
    expect(decide()).toBe('new-owner');
  });
});
