/** The last sign that the event loop of the main thread runs, in memory that the worker has as well. */
export class SharedBeat {
  private readonly at: BigInt64Array;

  constructor(readonly memory = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.at = new BigInt64Array(memory);
  }

  beat(): void {
    Atomics.store(this.at, 0, process.hrtime.bigint());
  }

  /** When it was, on the clock that the threads share, ms. */
  get last(): number {
    return Number(Atomics.load(this.at, 0)) / 1e6;
  }
}
