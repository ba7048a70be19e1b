import assert from 'node:assert/strict';
import { Inject, Injectable, type Provider } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';
import { blank, type Cell, type Cells } from '../cell.js';
import { checkExclusion } from '../exclusion.js';
import { ConcurrencyProbe } from '../concurrency-probe.js';
import { withContext } from '../application.js';

abstract class Orders {
  abstract pay(id: number): Promise<string>;
}

@Injectable()
class LockedOrders extends Orders {
  constructor(
    @Inject(ConcurrencyProbe) protected readonly probe: ConcurrencyProbe,
    @Inject(LockService) protected readonly locks: LockService,
  ) {
    super();
    probe.register(this);
  }

  @Locked('order:<0>')
  override async pay(id: number): Promise<string> {
    return this.probe.work(id);
  }
}

@Injectable()
class InheritedOrders extends LockedOrders {}

@Injectable()
class OverridingOrders extends LockedOrders {
  @Locked('order:<0>')
  override async pay(id: number): Promise<string> {
    const owner = this.locks.currentHold()?.owner;
    const name = await super.pay(id);
    assert.equal(this.locks.currentHold()?.owner, owner, 'the same owner, who has re-entered');
    assert.equal(await this.locks.getLock(name).isLocked(), true, 'still held after super');
    return name;
  }
}

@Injectable()
class GuardedOrders extends LockedOrders {
  @Locked('customer:<0>')
  override async pay(id: number): Promise<string> {
    const name = await super.pay(id);
    assert.equal(this.locks.currentHold()?.name, `customer:${id}`, 'back under its own lock');
    return name;
  }
}

@Injectable()
class WrappingOrders extends LockedOrders {
  override async pay(id: number): Promise<string> {
    return super.pay(id);
  }
}

class HandMadeOrders extends Orders {
  probe: ConcurrencyProbe | undefined;

  @Locked('order:<0>')
  override async pay(id: number): Promise<string> {
    if (!this.probe) throw new Error('There is no probe yet');
    return this.probe.work(id);
  }
}

const cell = (kind: string, orders: Provider): Cell => ({
  kind,
  scope: 'singleton',
  position: 'alone',
  check: () =>
    withContext({ providers: [orders] }, (tested) =>
      checkExclusion(tested, { call: (id) => tested.app.get(Orders).pay(id) }),
    ),
});

/** The cell of an instance that exists before the application and that Nest does not create. */
const valueCell: Cell = {
  kind: 'provider by useValue',
  scope: 'singleton',
  position: 'alone',
  check: () => {
    const made = new HandMadeOrders();
    return withContext({ providers: [{ provide: Orders, useValue: made }] }, async (tested) => {
      made.probe = tested.probe;
      tested.probe.register(made);
      await checkExclusion(tested, { call: (id) => tested.app.get(Orders).pay(id) });
    });
  },
};

const FACTORY = 'provider by useFactory';

const NOT_ADOPTED =
  'Nest injects no properties into the result of a factory, and gives the library no access to results for a request. ' +
  'A call there is refused with LockNotWiredError.';

export const cells: Cells = [
  cell('provider by useClass', { provide: Orders, useClass: LockedOrders }),
  cell(FACTORY, {
    provide: Orders,
    useFactory: (probe: ConcurrencyProbe, locks: LockService) => new LockedOrders(probe, locks),
    inject: [ConcurrencyProbe, LockService],
  }),
  blank(FACTORY, 'request', NOT_ADOPTED),
  valueCell,
  cell('provider, method inherited', { provide: Orders, useClass: InheritedOrders }),
  cell('provider, overridden with super, both @Locked', { provide: Orders, useClass: OverridingOrders }),
  cell('provider, overridden with super, each with a lock of its own', { provide: Orders, useClass: GuardedOrders }),
  cell('provider, overridden with super, only super @Locked', { provide: Orders, useClass: WrappingOrders }),
];
