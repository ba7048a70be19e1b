// Compiled under every module resolution: the types of the package and of each sub-path must be found.
import { LockService } from 'nest-redis-lock';
import { lockScripts } from 'nest-redis-lock/advanced';
import { LockDashboardModule } from 'nest-redis-lock/dashboard';
import { driverCases } from 'nest-redis-lock/driver-kit';
import { sqlFence } from 'nest-redis-lock/fencing';
import { Idempotent } from 'nest-redis-lock/idempotency';
import { observeLocks } from 'nest-redis-lock/opentelemetry';
import { collectLockMetrics } from 'nest-redis-lock/prometheus';
import { LockedCron } from 'nest-redis-lock/schedule';
import { LockHealthIndicator } from 'nest-redis-lock/terminus';
import { createLocks } from 'nest-redis-lock/standalone';
import { LockTesting } from 'nest-redis-lock/testing';
import { trackTransactions } from 'nest-redis-lock/transactional';
import { transactionEnd } from 'nest-redis-lock/typeorm';

// @ts-expect-error none of them is `any`
export const main: number = LockService;
// @ts-expect-error
export const advanced: number = lockScripts;
// @ts-expect-error
export const dashboard: number = LockDashboardModule;
// @ts-expect-error
export const driverKit: number = driverCases;
// @ts-expect-error
export const fencing: number = sqlFence;
// @ts-expect-error
export const idempotency: number = Idempotent;
// @ts-expect-error
export const opentelemetry: number = observeLocks;
// @ts-expect-error
export const prometheus: number = collectLockMetrics;
// @ts-expect-error
export const schedule: number = LockedCron;
// @ts-expect-error
export const standalone: number = createLocks;
// @ts-expect-error
export const terminus: number = LockHealthIndicator;
// @ts-expect-error
export const testing: number = LockTesting;
// @ts-expect-error
export const transactional: number = trackTransactions;
// @ts-expect-error
export const typeorm: number = transactionEnd;
