/** The most functions that are told, and the most characters of each: a path may be a whole program, as in a `data:` URL. */
const MOST_LINES = 10;
const LONGEST_LINE = 300;
/** The most bytes of a character in UTF-8. */
const CHARACTER_BYTES = 3;
const MICROSECONDS = 1000;

/** The places before the text: when it was found, and its bytes. */
const AT = 0;
const LENGTH = 1;
const HEAD_BYTES = 2 * BigInt64Array.BYTES_PER_ELEMENT;
const BYTES = HEAD_BYTES + MOST_LINES * (LONGEST_LINE * CHARACTER_BYTES + 1);

/**
 * The code in which the main thread stood, as the worker has found it, in memory that both threads have: a message might
 * be read only after the event that it belongs to.
 */
export class SharedStack {
  private readonly head: BigInt64Array;
  private readonly text: Buffer;

  /** @param memory That of the other thread. Absent: nothing was found yet. */
  constructor(readonly memory = new SharedArrayBuffer(BYTES)) {
    this.head = new BigInt64Array(memory, 0, 2);
    this.text = Buffer.from(memory, HEAD_BYTES);
  }

  /**
   * Called in the worker.
   * @param stack Its functions, innermost first.
   * @param at When the thread stood there, on the clock that the threads share, ms.
   */
  write(stack: readonly string[], at: number): void {
    const lines = stack.slice(0, MOST_LINES).map((line) => line.slice(0, LONGEST_LINE));
    Atomics.store(this.head, LENGTH, BigInt(this.text.write(lines.join('\n'))));
    // Last, so that a text which is still being written counts as that of an earlier time.
    Atomics.store(this.head, AT, BigInt(Math.round(at * MICROSECONDS)));
  }

  /** The functions in which the main thread stood at that time or later; `undefined`: none were found. */
  foundSince(time: number): readonly string[] | undefined {
    const at = Number(Atomics.load(this.head, AT)) / MICROSECONDS;
    const length = Number(Atomics.load(this.head, LENGTH));
    return length === 0 || at < time ? undefined : this.text.toString('utf8', 0, length).split('\n');
  }
}
