import type { Caller } from '../world/caller.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { SimulatedWorld } from '../world/simulated-world.js';
import { repeat, type Scenario } from './scenario.js';

/** A call for the result, from its beginning to its answer. */
interface Call {
  readonly who: string;
  readonly process: SimulatedProcess;
  readonly begunAt: number;
  endedAt: number | undefined;
  /** Whether it made the result itself, and resolved with it. */
  hasMade: boolean;
  isMaking: boolean;
}

/** Checks that no call makes a result while another call of the same process is making it. */
export class Flights {
  private readonly calls: Call[] = [];

  constructor(private readonly world: SimulatedWorld) {}

  begin({ name: who, process }: Caller): Call {
    const call: Call = {
      who,
      process,
      begunAt: this.world.simulation.now,
      endedAt: undefined,
      hasMade: false,
      isMaking: false,
    };
    this.calls.push(call);
    return call;
  }

  end(call: Call): void {
    call.endedAt = this.world.simulation.now;
    for (const other of this.calls) this.check(other, call);
  }

  /** Checks that `late` did not make the result itself if it came while `maker` of the same process was making it. */
  private check(maker: Call, late: Call): void {
    const came = maker.begunAt < late.begunAt && late.begunAt < (maker.endedAt ?? 0);
    if (!came || !maker.hasMade || !late.hasMade || maker.process !== late.process) return;
    this.world.simulation.violate(
      'one flight',
      `${late.who} made what ${maker.who} was making in ${maker.process.name}`,
    );
  }
}

export const share = async (caller: Caller, name: string, flights: Flights): Promise<void> => {
  const { world, process } = caller;
  const { rng } = world;
  const call = flights.begin(caller);
  try {
    const wait = rng.pick([1500, 20_000]);
    const result = await process.locks.singleFlight(name, { wait }, async (hold) => {
      const leave = caller.enters(hold);
      call.isMaking = true;
      await caller.work(rng.pick([0, 5, 100]) * rng.next(), hold.signal);
      leave();
      return { name, value: rng.whole(0, 1_000_000) };
    });
    if (result.name !== name)
      world.simulation.violate('one flight', `${caller.name} asked for ${name} and got the result of ${result.name}`);
    call.hasMade = call.isMaking;
  } catch (error) {
    caller.tolerate(error);
  } finally {
    flights.end(call);
  }
};

/** Results that are made once for all calls at a time, in and outside of scopes. */
export const singleFlights: Scenario = {
  name: 'single flights',
  mayKill: true,
  setup: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  start: (world) => {
    const { rng } = world;
    const flights = new Flights(world);
    const callers = Array.from({ length: rng.whole(1, 3) }, () => world.caller());
    const alone = callers.map((caller) => repeat(rng.whole(1, 3), () => share(caller, 'result', flights)));
    const outer = world.caller();
    const inScope = (): Promise<unknown> =>
      outer.process.locks.runInScope(async () => {
        const pair = [world.caller(outer.process), world.caller(outer.process)];
        await Promise.all(
          pair.map(async (caller) => {
            await caller.work(rng.between(0, 8));
            await share(caller, 'result', flights);
          }),
        );
      });
    return { callers: [...alone, ...(rng.chance(0.5) ? [repeat(rng.whole(1, 2), inScope)] : [])] };
  },
};
