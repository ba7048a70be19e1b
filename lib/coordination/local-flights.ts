import type { WaitEnd } from '../time/wait-limit.js';
import { conflict, refusal } from '../waiting/wait-errors.js';
import type { ErrorCodec } from './error-codec.js';
import type { FlightResult } from './flight-result.js';
import { type AcquireContext } from '../waiting/acquirer.js';

/** One execution that callers of this process share, from the first call to its result. */
class LocalFlight {
  private finish: (result: FlightResult | undefined) => void = () => {};
  private readonly ended = new Promise<FlightResult | undefined>((resolve) => (this.finish = resolve));

  resolve(result: FlightResult): void {
    this.finish(result);
  }

  /** The caller that began it stopped waiting; the callers that joined may begin another. */
  cancel(): void {
    this.finish(undefined);
  }

  /**
   * Waits for the result; `undefined` if the flight was cancelled.
   * @throws LockTimeoutError, LockConflictError, LockAbortedError
   */
  join(asked: AcquireContext): Promise<FlightResult | undefined> {
    const { limit } = asked;
    const { ended } = limit;
    if (ended) return Promise.reject(stillUnderWay(asked, ended));
    return new Promise((resolve, reject) => {
      const watching = limit.watch({ onEnd: (end) => reject(stillUnderWay(asked, end)) });
      void this.ended.then((result) => {
        watching.stop();
        resolve(result);
      });
    });
  }
}

/** The remaining time is unknown. */
const UNDER_WAY = { remaining: -1 };

const stillUnderWay = (asked: AcquireContext, end: WaitEnd): Error =>
  end.cause === 'elapsed' && asked.limit.wait === 0 ? conflict(asked, UNDER_WAY) : refusal(asked, end, UNDER_WAY);

/** The flights in progress in this process, on one connection. */
export class LocalFlights {
  private readonly byName = new Map<string, LocalFlight>();

  /** @param errors Serializes errors for other processes. */
  constructor(readonly errors: ErrorCodec) {}

  get(name: string): LocalFlight | undefined {
    return this.byName.get(name);
  }

  /** Begins a flight if there is none; call `end` before it resolves. */
  begin(name: string): LocalFlight {
    const flight = new LocalFlight();
    this.byName.set(name, flight);
    return flight;
  }

  end(name: string): void {
    this.byName.delete(name);
  }
}
