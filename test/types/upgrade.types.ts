/** Uses of upgrades and downgrades that must be refused or accepted at compile time. Nothing here runs. */
import type { Hold, MultiHold } from 'nest-redis-lock';
import type { UpgradeOptions } from 'nest-redis-lock/advanced';

export const upgrades = async (hold: Hold, both: MultiHold): Promise<void> => {
  const writing: Hold | null = await hold.tryUpgrade({ lease: '10s' });
  // @ts-expect-error Others may read.
  await writing.release();
  const reading: Hold = await hold.downgrade();
  await reading.release();
  // @ts-expect-error It never waits.
  await hold.tryUpgrade({ wait: '5s' });
  // @ts-expect-error No duration.
  await hold.downgrade({ lease: true });
  const options: UpgradeOptions = { lease: undefined };
  await both.tryUpgrade(options);
};
