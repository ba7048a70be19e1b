import { Injectable } from '@nestjs/common';
import type { TestingModule } from '@nestjs/testing';
import { Locked, LockService } from 'nest-redis-lock';
import { runtimeOf, start } from './applications.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

@Injectable()
class Orders {
  constructor(
    readonly locks: LockService,
    readonly probe: ConcurrencyProbe,
  ) {}

  @Locked('order:<0>')
  async pay(id: string): Promise<string> {
    const count = await this.locks.getLock(`order:${id}`).holdCount();
    await this.probe.enter(`held ${count} times`);
    return `${id} under ${this.locks.currentHold()?.name} and ${this.locks.currentHold(`tenant:${id}`)?.name}`;
  }

  @Locked('order:<0>')
  async ship(id: string): Promise<string> {
    return this.probe.enter(id);
  }
}

@Injectable()
class FastOrders extends Orders {
  @Locked('order:<0>')
  override async pay(id: string): Promise<string> {
    const owner = this.locks.currentHold()?.owner;
    const result = await super.pay(id);
    const count = await this.locks.getLock(`order:${id}`).holdCount();
    await this.probe.enter(`held ${count} times`);
    return `${result}, ${this.locks.currentHold()?.owner === owner ? 'one owner' : 'two owners'}`;
  }
}

@Injectable()
class UnlockedOrders extends Orders {
  override async pay(_id: string): Promise<string> {
    await this.probe.enter('override');
    return `under ${this.locks.currentHold()?.name}`;
  }
}

@Injectable()
class RelockedOrders extends Orders {
  @Locked('tenant:<0>')
  override async pay(id: string): Promise<string> {
    return super.pay(id);
  }
}

let app: TestingModule;
let probe: ConcurrencyProbe;

beforeEach(async () => {
  app = await start({ providers: [ConcurrencyProbe, Orders, FastOrders, UnlockedOrders, RelockedOrders] });
  probe = app.get(ConcurrencyProbe);
});

afterEach(() => app.close());

describe('A @Locked method and a subclass', () => {
  it('that does not override it share the lock', async () => {
    await Promise.all([app.get(Orders).ship('42'), app.get(FastOrders).ship('42')]);
    expect(probe.peak).toBe(1);
  });

  it('that overrides it under the same key and calls super: one grant, re-entered and released', async () => {
    await expect(app.get(FastOrders).pay('42')).resolves.toBe('42 under order:42 and undefined, one owner');
    expect(probe.entered).toEqual(['held 2 times', 'held 1 times']);
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('that overrides it under another key and calls super: both locks are held inside', async () => {
    await expect(app.get(RelockedOrders).pay('42')).resolves.toBe('42 under order:42 and tenant:42');
    expect(runtimeOf(app).grants.size).toBe(0);
  });

  it('that overrides it without a lock: the override is not locked', async () => {
    const orders = app.get(UnlockedOrders);
    await expect(Promise.all([orders.pay('42'), orders.pay('42')])).resolves.toEqual([
      'under undefined',
      'under undefined',
    ]);
    expect(probe.peak).toBe(2);
  });
});

describe('A mixin with a @Locked method', () => {
  it('locks in every class made from it', async () => {
    const withAudit = (prefix: string) => {
      @Injectable()
      class Audited {
        constructor(readonly place: ConcurrencyProbe) {}

        @Locked(`${prefix}:<0>`)
        async audit(id: string): Promise<string> {
          return this.place.enter(`${prefix} ${id}`);
        }
      }
      return Audited;
    };
    const Invoices = withAudit('invoice');
    const Refunds = withAudit('refund');
    const mixed = await start({ providers: [ConcurrencyProbe, Invoices, Refunds] });
    const invoices = mixed.get(Invoices);
    await Promise.all([invoices.audit('1'), invoices.audit('1'), mixed.get(Refunds).audit('1')]);
    expect(mixed.get(ConcurrencyProbe).peak).toBe(2);
    await mixed.close();
  });
});
