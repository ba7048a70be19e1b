import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';

/** A request of a caller for something that its process may have several of. */
interface Arrival {
  readonly who: string;
  readonly process: SimulatedProcess;
  /** The number of permits. Default: one. */
  readonly wanted?: number;
  readonly wait: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request that was made and not answered. */
export interface Place {
  granted(): void;
  /** Called after the answer, whatever it was. */
  left(): void;
}

/** Time for a late timer, ms. A caller whose wait is about to end need not be served before others. */
const GRAIN_MS = 15;

/** Checks that the callers of one process that wait for one name are served in the order in which they asked. */
export class Arrivals {
  private readonly waiting = new Map<Place, Arrival & { readonly begunAt: number }>();
  private served: { readonly who: string; readonly earlier: readonly Place[] }[] = [];

  constructor(
    private readonly simulation: Simulation,
    private readonly name: string,
  ) {
    simulation.checks.push(() => this.check());
  }

  arrive(arrival: Arrival): Place {
    const place: Place = {
      granted: () => {
        // A caller that does not wait makes one attempt, whoever waits.
        if (arrival.wait > 0) this.served.push({ who: arrival.who, earlier: this.before(place, arrival) });
        this.waiting.delete(place);
      },
      left: () => void this.waiting.delete(place),
    };
    this.waiting.set(place, { ...arrival, begunAt: this.simulation.now });
    return place;
  }

  /** The waiters of the same process that came earlier and want no more. */
  private before(place: Place, { process, wanted = 1 }: Arrival): readonly Place[] {
    const earlier: Place[] = [];
    for (const [other, { process: theirs, wanted: most = 1 }] of this.waiting) {
      if (other === place) break;
      if (theirs === process && most <= wanted) earlier.push(other);
    }
    return earlier;
  }

  /** After an event, in which several may have been served. */
  private check(): void {
    const { now } = this.simulation;
    for (const { who, earlier } of this.served.splice(0)) {
      for (const place of earlier) {
        const first = this.waiting.get(place);
        if (!first?.process.isAlive || first.signal?.aborted) continue;
        if (now >= first.begunAt + first.wait / first.process.clock.rate - GRAIN_MS) continue;
        this.simulation.violate('order of arrival', `${this.name}: ${who} was served before ${first.who}`);
      }
    }
  }
}
