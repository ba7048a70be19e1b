import type { CanActivate } from '@nestjs/common';
import { LockOptionsError } from 'nest-redis-lock';
import { LockDashboardModule, type LockDashboardOptions } from 'nest-redis-lock/dashboard';
import { parseDashboardOptions } from '../../lib/integrations/dashboard/lock-dashboard.options.js';

class Guard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

const refusalOf = (options: unknown): string => {
  try {
    LockDashboardModule.forRoot(options as LockDashboardOptions);
  } catch (error) {
    if (error instanceof LockOptionsError) return error.message;
    throw error;
  }
  throw new Error('The options were accepted');
};

describe('Options of the dashboard', () => {
  it.each([[undefined], [{}], [{ allowAnonymous: false }], [{ path: 'locks' }], [{ guard: undefined }]])(
    'without a guard are refused: %j',
    (options) => {
      expect(refusalOf(options)).toMatch(/^LockDashboardModule needs a guard: .* or allowAnonymous: true/);
    },
  );

  it('are accepted with a guard, several, or when everybody is admitted', () => {
    const guard = new Guard();
    const guardsOf = (options: LockDashboardOptions) => parseDashboardOptions(options).guards;
    expect(guardsOf({ guard: Guard })).toEqual([Guard]);
    expect(guardsOf({ guard: [Guard, guard] })).toEqual([Guard, guard]);
    expect(guardsOf({ allowAnonymous: true })).toEqual([]);
  });

  it('have defaults', () => {
    expect(parseDashboardOptions({ allowAnonymous: true })).toEqual({
      path: 'locks',
      guards: [],
      imports: [],
      connection: undefined,
      refresh: 1000,
      maxLocks: 500,
    });
    expect(parseDashboardOptions({ allowAnonymous: true, path: '/ops/locks/', refresh: '2s' })).toMatchObject({
      path: 'ops/locks',
      refresh: 2000,
    });
  });

  it.each([
    [{ allowAnonymous: true, guard: Guard }, /^guard and allowAnonymous contradict each other/],
    [{ allowAnonymous: 'yes' }, /^allowAnonymous must be true or false, not "yes"/],
    [{ guard: [] }, /^guard must be a guard or a list of guards/],
    [{ guard: class {} }, /^guard must be/],
    [{ guard: 'Admin' }, /^guard must be .*not "Admin"/],
    [{ allowAnonymous: true, path: '' }, /^path must be/],
    [{ allowAnonymous: true, path: 'locks/:id' }, /^path must be .*not "locks\/:id"/],
    [{ allowAnonymous: true, path: 'locks/*' }, /^path must be/],
    [{ allowAnonymous: true, path: 7 }, /^path must be .*not 7/],
    [{ allowAnonymous: true, refresh: 10 }, /^refresh must be .*10/],
    [{ allowAnonymous: true, refresh: 'soon' }, /^refresh must be .*"soon"/],
    [{ allowAnonymous: true, maxLocks: 0 }, /^maxLocks must be .*0/],
    [{ allowAnonymous: true, maxLocks: 1.5 }, /^maxLocks must be .*1.5/],
    [{ allowAnonymous: true, imports: Guard }, /^imports must be a list of modules/],
    [{ allowAnonymous: true, connection: 'redis://x' }, /^connection must be/],
    [{ allowAnonymous: true, gaurd: Guard }, /^unknown option "gaurd" of LockDashboardModule; did you mean "guard"/],
    ['locks', /^options of LockDashboardModule must be an object/],
  ])('are refused with name and value: %j', (options, message) => {
    expect(refusalOf(options)).toMatch(message);
  });
});
