// oxlint-disable typescript/unbound-method -- lockedOptions() reads metadata and calls no method.
import { LockOptionsError, SingleFlight } from 'nest-redis-lock';
import { LockedCron } from 'nest-redis-lock/schedule';
import { lockedOptions } from 'nest-redis-lock/testing';
import { OrderService } from './orders.js';

class Reports {
  @SingleFlight('report:<0>', { ttl: '5s' })
  async report(month: string): Promise<string> {
    return month;
  }
}

describe('lockedOptions()', () => {
  it('returns the key template and the options of @Locked', () => {
    expect(lockedOptions(OrderService.prototype.pay)).toEqual({
      decorator: '@Locked',
      key: 'order:<0>',
      options: { wait: '3s' },
    });
  });

  it('returns a key function as it is', () => {
    const { key, options } = lockedOptions(OrderService.prototype.payAll);
    expect(typeof key === 'function' && key(['1'])).toEqual(['order:1']);
    expect(options).toEqual({ onConflict: 'skip' });
  });

  it('returns those of @SingleFlight', () => {
    expect(lockedOptions(Reports.prototype.report)).toMatchObject({ decorator: '@SingleFlight', key: 'report:<0>' });
  });

  it('D56: are the name and the options of @LockedCron', () => {
    class Nightly {
      @LockedCron('0 3 * * *', 'nightly', { timeZone: 'UTC', overlap: true })
      async run(): Promise<void> {}
    }
    expect(lockedOptions(Nightly.prototype.run)).toEqual({
      decorator: '@LockedCron',
      key: 'nightly',
      options: { timeZone: 'UTC', overlap: true },
    });
  });

  it.each([
    ['a method without the decorator', OrderService.prototype.notLocked, 'notLocked'],
    ['a name', 'pay', '"pay"'],
    ['nothing', undefined, 'undefined'],
  ])('refuses %s', (_, value, shown) => {
    expect(() => lockedOptions(value as never)).toThrow(LockOptionsError);
    expect(() => lockedOptions(value as never)).toThrow(shown);
  });
});
