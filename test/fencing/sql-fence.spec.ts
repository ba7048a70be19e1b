import { LockOptionsError, StaleFenceError } from 'nest-redis-lock';
import { sqlFence, type SqlFenceOptions } from 'nest-redis-lock/fencing';
import { caught, thrownBy } from '../kit/caught.js';

const OPTIONS: SqlFenceOptions = { resource: 'ledger 42', placeholder: '$3' };

describe('sqlFence', () => {
  it('gives the parts of a statement', () => {
    expect(sqlFence(7n, OPTIONS)).toMatchObject({
      fence: 7n,
      value: '7',
      parameters: {},
      set: 'fence = $3',
      where: '(fence IS NULL OR fence <= $3)',
    });
    expect(sqlFence(7n, { resource: 'r', placeholder: ':token', column: '"lastFence"' })).toMatchObject({
      parameters: { token: '7' },
      set: '"lastFence" = :token',
      where: '("lastFence" IS NULL OR "lastFence" <= :token)',
    });
  });

  it.each([undefined, null, 7, '7', 0n, -1n, 2n ** 63n, {}])('refuses %p as a fence', (fence) => {
    expect(thrownBy(() => sqlFence(fence as never, OPTIONS), LockOptionsError).message).toMatch(
      /^fence must be a fencing token, .*fenced: true/,
    );
  });

  it.each([
    ['resource', { resource: '' }],
    ['placeholder', { placeholder: '?' }],
    ['placeholder', { placeholder: '$0' }],
    ['placeholder', { placeholder: ':a; DROP TABLE ledger' }],
    ['column', { column: 'fence; DROP TABLE ledger' }],
    ['column', { column: '' }],
    ['colum', { colum: 'fence' }],
  ])('refuses a wrong %s: %j', (name, wrong) => {
    const options = { ...OPTIONS, ...wrong } as never;
    expect(thrownBy(() => sqlFence(7n, options), LockOptionsError).message).toContain(name);
  });

  it.each([10n, '10', 10])('reports the last fence of a row, read as %p', async (last) => {
    const error = await caught(
      sqlFence(9n, OPTIONS).confirm(0, () => last),
      StaleFenceError,
    );
    expect(error).toMatchObject({ code: 'LOCK_STALE_FENCE', resource: 'ledger 42', fence: 9n, lastFence: 10n });
    expect(JSON.parse(JSON.stringify(error.details))).toEqual({ resource: 'ledger 42', fence: '9', lastFence: '10' });
    expect(() => JSON.stringify(error)).not.toThrow();
  });

  it('tells a row that was left out for another reason from a stale fence', async () => {
    const fenced = sqlFence(9n, OPTIONS);
    await expect(fenced.confirm(1, () => 10n)).resolves.toBe(true);
    await expect(fenced.confirm(0, () => undefined)).resolves.toBe(false);
    await expect(fenced.confirm(0, () => null)).resolves.toBe(false);
    await expect(fenced.confirm(0, () => 9n)).resolves.toBe(false);
  });

  it.each([2 ** 60, 1.5, '1e3', '007', -1, {}])('refuses %p as the last fence', async (last) => {
    const error = await caught(
      sqlFence(9n, OPTIONS).confirm(0, () => last as never),
      LockOptionsError,
    );
    expect(error.message).toContain('column fence of ledger 42');
  });

  it.each([undefined, null, '1'])('refuses %p as the number of updated rows', async (updated) => {
    const error = await caught(
      sqlFence(9n, OPTIONS).confirm(updated as never, () => 9n),
      LockOptionsError,
    );
    expect(error.message).toContain('updated must be');
  });
});
