// Compiled with `moduleResolution: node10`, which knows no `exports`: the types of each sub-path must be found.
import { LockService } from 'nest-redis-lock';
import { sqlFence } from 'nest-redis-lock/fencing';
import { LockedCron } from 'nest-redis-lock/schedule';
import { LockTesting } from 'nest-redis-lock/testing';
import { trackTransactions } from 'nest-redis-lock/transactional';
import { transactionEnd } from 'nest-redis-lock/typeorm';

// @ts-expect-error none of them is `any`
export const refused: readonly number[] = [LockService, sqlFence, LockedCron, LockTesting, trackTransactions];
// @ts-expect-error nor is this one
export const end: number = transactionEnd;
