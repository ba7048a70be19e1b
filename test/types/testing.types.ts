/** Uses of the testing kit that the compiler must refuse or accept; see `locked.types.ts`. */
// oxlint-disable typescript/unbound-method -- lockedOptions() reads metadata and calls no method.
import type { DynamicModule } from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { Hold, LockService } from 'nest-redis-lock';
import {
  FakeLocks,
  type TestHolder,
  type LockDeclaration,
  lockedOptions,
  LockTesting,
  LockTestingModule,
  ManualClock,
} from 'nest-redis-lock/testing';

declare class OrderService {
  pay(id: string): Promise<void>;
}

const testing = new LockTesting({ clock: new ManualClock() });

export const builder: TestingModuleBuilder = testing.override(Test.createTestingModule({}));
export const modules: readonly DynamicModule[] = [
  LockTestingModule.forRoot(),
  LockTestingModule.forRoot({ keyPrefix: 'shop:', isGlobal: false }, testing),
  LockTestingModule.forRoot({}, { clock: 'timers' }),
];
export const locks: LockService = new FakeLocks();
export const orders: OrderService = new FakeLocks().wire(new OrderService());
export const declared: LockDeclaration = lockedOptions(OrderService.prototype.pay);
export const hold: Promise<Hold> = testing.holdElsewhere('order:42', { lease: '30s', mode: 'read' });
export const holders: Promise<readonly TestHolder[]> = testing.holders();

export const refused: readonly unknown[] = [
  // @ts-expect-error an unknown clock
  new LockTesting({ clock: 'sun' }),
  // @ts-expect-error no number of renewals
  testing.failNextRenewal('twice'),
  // @ts-expect-error no duration
  testing.advance({ seconds: 10 }),
  // @ts-expect-error no lock is both
  testing.holdElsewhere('order:42', { fair: true, fenced: true }),
  // @ts-expect-error a name is no method
  lockedOptions('pay'),
  // @ts-expect-error no test module
  testing.override({}),
];
