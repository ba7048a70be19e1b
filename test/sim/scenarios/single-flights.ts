import type { Actor } from '../stage/actor.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Stage } from '../stage/stage.js';
import { repeat, type Scenario } from './scenario.js';

/** A call that asks for the result, from its beginning until the answer. */
interface Call {
  readonly who: string;
  readonly process: SimulatedProcess;
  readonly begunAt: number;
  endedAt: number | undefined;
  /** Whether it made the result itself, and got it. */
  hasMade: boolean;
  isMaking: boolean;
}

/** Checks that no call makes a result while another call of the same process is making it. */
class Flights {
  private readonly calls: Call[] = [];

  constructor(private readonly stage: Stage) {}

  begin({ name: who, process }: Actor): Call {
    const call: Call = {
      who,
      process,
      begunAt: this.stage.simulation.now,
      endedAt: undefined,
      hasMade: false,
      isMaking: false,
    };
    this.calls.push(call);
    return call;
  }

  end(call: Call): void {
    call.endedAt = this.stage.simulation.now;
    for (const other of this.calls) this.check(other, call);
  }

  /** Checks that `late` did not make the result itself if it came while `maker` of the same process was making it. */
  private check(maker: Call, late: Call): void {
    const came = maker.begunAt < late.begunAt && late.begunAt < (maker.endedAt ?? 0);
    if (!came || !maker.hasMade || !late.hasMade || maker.process !== late.process) return;
    this.stage.simulation.violate(
      'one flight',
      `${late.who} made what ${maker.who} was making in ${maker.process.name}`,
    );
  }
}

const share = async (actor: Actor, name: string, flights: Flights): Promise<void> => {
  const { stage, process } = actor;
  const { rng } = stage;
  const call = flights.begin(actor);
  try {
    const wait = rng.pick([1500, 20_000]);
    await process.locks.singleFlight(name, { wait }, async (hold) => {
      const leave = actor.enters(hold);
      call.isMaking = true;
      await actor.work(rng.pick([0, 5, 100]) * rng.next(), hold.signal);
      leave();
      return rng.whole(0, 1_000_000);
    });
    call.hasMade = call.isMaking;
  } catch (error) {
    actor.tolerate(error);
  } finally {
    flights.end(call);
  }
};

/** Results that are made once for all who want them meanwhile, also inside scopes. */
export const singleFlights: Scenario = {
  name: 'single flights',
  mayKill: true,
  cast: (rng) => ({ servers: 1, processes: rng.whole(1, 3) }),
  play: (stage) => {
    const { rng } = stage;
    const flights = new Flights(stage);
    const crowd = Array.from({ length: rng.whole(1, 3) }, () => stage.actor());
    const alone = crowd.map((actor) => repeat(rng.whole(1, 3), () => share(actor, 'result', flights)));
    const host = stage.actor();
    const inScope = (): Promise<unknown> =>
      host.process.locks.runInScope(async () => {
        const pair = [stage.actor(host.process), stage.actor(host.process)];
        await Promise.all(
          pair.map(async (actor) => {
            await actor.work(rng.between(0, 8));
            await share(actor, 'result', flights);
          }),
        );
      });
    return { actors: [...alone, ...(rng.chance(0.5) ? [repeat(rng.whole(1, 2), inScope)] : [])] };
  },
};
