import type { LockService } from 'nest-redis-lock';

export const onAFreeCard = async (locks: LockService, train: (device: string) => Promise<void>): Promise<void> => {
  await using hold = await locks.acquire('gpus', { limit: 4, numbered: true, wait: '10m' });
  await train(`cuda:${hold.slot}`);
};
