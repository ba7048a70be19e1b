// Stops every process of a test run at random moments, as a busy machine does: see `npm run test:stalls`. A test that
// fails then has a limit in real time that its machine need not meet, or has found a race.
const { STALL_MS = '100', STALL_EVERY_MS = '300' } = process.env;

const cell = new Int32Array(new SharedArrayBuffer(4));

const stallLater = () => {
  const stall = () => {
    Atomics.wait(cell, 0, 0, Math.random() * Number(STALL_MS));
    stallLater();
  };
  setTimeout(stall, 2 * Math.random() * Number(STALL_EVERY_MS)).unref();
};

stallLater();
