/** Milliseconds on the clock that all threads of a process share. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Stands for an end that never comes; ms. */
const NEVER = 9e12;
const MICROSECONDS = 1000;

/** The places in the memory of one hold. The first four are written by the main thread, the others by the worker. */
const PLACES = ['over', 'lease', 'end', 'leaseEnd', 'gone', 'shortest', 'effective', 'latest', 'wall', 'sent'] as const;
type Place = (typeof PLACES)[number];

const BYTES = PLACES.length * BigInt64Array.BYTES_PER_ELEMENT;

/** How long a hold is to be kept, ms from now. */
interface KeptTerm {
  /** The lease that each renewal grants. */
  readonly lease: number;
  /** The time for which it is renewed at most; may be `Infinity`. */
  readonly keptFor: number;
  /** The lease that it needs at the moment, which may be longer than that of a renewal. */
  readonly neededLease: number;
}

/**
 * Facts of one hold that the main thread and the worker tell each other, in memory that both have: a thread that stands answers
 * no message. Times are on the clock that they share. Each is read and written as a whole; where several belong together,
 * the order in which they are written lets a reader find the earlier end, never a later one.
 */
export class SharedTimes {
  private readonly times: BigInt64Array;
  /** Until when renewals without a reply may take effect. Known to the worker only. */
  private unknownUntil = 0;

  /** @param memory That of the other thread. Absent: of a new hold. */
  constructor(readonly memory = new SharedArrayBuffer(BYTES)) {
    this.times = new BigInt64Array(memory);
  }

  /** Whether the hold has ended, or is not kept any more: it must not be renewed. */
  get isOver(): boolean {
    return this.read('over') > 0;
  }

  /** Called before what ends the hold is sent. */
  end(): void {
    this.write('over', 1);
  }

  /** Sets how long the worker may keep the hold. */
  keep({ lease, keptFor, neededLease }: KeptTerm, now = sharedNow()): void {
    this.write('end', now + keptFor);
    this.write('leaseEnd', neededLease > lease ? now + neededLease : 0);
    this.write('lease', lease);
  }

  /** The lease that each renewal grants, as far as the hold lasts that long, ms. */
  get lease(): number {
    return this.read('lease');
  }

  /** The lease that the hold needs from now on, ms. */
  neededLease(now: number): number {
    const renewed = Math.min(this.read('lease'), this.read('end') - now);
    return Math.floor(Math.max(renewed, this.read('leaseEnd') - now));
  }

  /** Called before the worker sends a renewal, which may take effect until `effective`. */
  request(lease: number, now: number, effective: number): void {
    const { shortest } = this;
    this.write('shortest', Math.min(shortest, lease));
    this.write('latest', Math.max(this.read('latest'), now + lease));
    this.write('effective', effective);
  }

  /**
   * Called when the server has executed the last renewal that was sent.
   * @param sent When it was sent.
   * @param wall The same, on the wall clock.
   */
  confirm(sent: number, wall: number, now: number): void {
    this.write('wall', wall);
    this.write('sent', sent);
    this.write('effective', Math.max(now, this.unknownUntil));
  }

  /** Called when a renewal got no reply. */
  fail(): void {
    this.unknownUntil = this.effective;
  }

  /** When the last renewal was sent that the server has executed; 0: none was. */
  get sent(): number {
    return this.read('sent');
  }

  /** The same, on the wall clock; read after the other. */
  get wall(): number {
    return this.read('wall');
  }

  /** Until when a renewal of the worker may take effect; 0: it has sent none. */
  get effective(): number {
    return this.read('effective');
  }

  /** The shortest lease that the worker has asked for, ms. Read after all others. */
  get shortest(): number {
    return this.read('shortest') || Number.POSITIVE_INFINITY;
  }

  /** Until when the server may keep the hold because of the worker; 0: it has sent nothing. */
  get latest(): number {
    return this.read('latest');
  }

  /** Whether the server has told the worker that the hold is there no more. */
  get isGone(): boolean {
    return this.read('gone') > 0;
  }

  setGone(): void {
    this.write('gone', 1);
  }

  private read(place: Place): number {
    return Number(Atomics.load(this.times, PLACES.indexOf(place))) / MICROSECONDS;
  }

  private write(place: Place, ms: number): void {
    Atomics.store(this.times, PLACES.indexOf(place), BigInt(Math.round(Math.min(ms, NEVER) * MICROSECONDS)));
  }
}
