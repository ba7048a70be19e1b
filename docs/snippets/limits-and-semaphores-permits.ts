import type { LockService } from 'nest-redis-lock';

export const reserveSeat = async (locks: LockService): Promise<string> => {
  const seats = locks.getPermitExpirableSemaphore('hall:7');
  await seats.trySetPermits(200);
  const seat = await seats.acquire({ lease: '10m' }); // back in the pool after 10 minutes
  return seat.id; // any process may release it by its id
};

export const giveBack = (locks: LockService, id: string): Promise<boolean> =>
  locks.getPermitExpirableSemaphore('hall:7').tryRelease(id);
