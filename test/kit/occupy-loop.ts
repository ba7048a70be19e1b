/** Occupies the event loop, as synchronous work does. */
export const occupyLoop = (ms: number): void => {
  const end = performance.now() + ms;
  while (performance.now() < end);
};

/** Stops this thread, which leaves its core to others. */
export const stopThread = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, ms);
};
