import { describeVectors } from './run-vectors.js';

describeVectors(['C'], {
  'latch.trySetCount': ({ countDownLatch }, { name, count }) => countDownLatch.trySet(name, count),
  'latch.countDown': async ({ countDownLatch }, { name }) => {
    await countDownLatch.countDown(name);
    return null;
  },
  'latch.delete': ({ countDownLatch }, { name }) => countDownLatch.delete(name),
});
