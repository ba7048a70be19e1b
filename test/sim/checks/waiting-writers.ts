import { clientIdOf } from '../../../lib/context/owner-ids.js';
import type { SimulatedProcess } from '../client/simulated-process.js';
import type { Simulation } from '../engine/simulation.js';
import type { SimulatedServer } from '../server/simulated-server.js';

/** A caller that waits for one half of the lock. */
interface WaitingCaller {
  readonly half: 'read' | 'write';
  readonly who: string;
  readonly process: SimulatedProcess;
}

/** The longest times that are in order, ms. */
interface Limits {
  /** For a reader that waits beside a lock that is only read, after the last waiting writer has gone. */
  readonly reader: number;
  /** For the announcement of a process that lives, after the last of its writers waits no longer. */
  readonly announcement: number;
}

/** Times for which something has been so without a break. */
class Durations<Key> {
  private begins = new Map<Key, number>();

  /** Those that are so now; of any other, the time begins anew. */
  update(keys: Iterable<Key>, now: number): Iterable<readonly [Key, number]> {
    this.begins = new Map([...keys].map((key) => [key, this.begins.get(key) ?? now]));
    return [...this.begins].map(([key, begin]) => [key, now - begin]);
  }
}

/** Checks a read-write lock whose waiting writers go before new readers: they do so only while they wait. */
export class WaitingWriters {
  private readonly callers = new Set<WaitingCaller>();
  private readonly keptOut = new Durations<WaitingCaller>();
  private readonly leftBehind = new Durations<string>();

  constructor(
    private readonly simulation: Simulation,
    private readonly server: SimulatedServer,
    private readonly name: string,
    private readonly processes: readonly SimulatedProcess[],
    private readonly limits: Limits,
  ) {
    simulation.checks.push(() => this.check());
  }

  /** @returns A function to call when the caller waits no longer. */
  begin(caller: WaitingCaller): () => void {
    this.callers.add(caller);
    return () => void this.callers.delete(caller);
  }

  private check(): void {
    const { simulation, name, limits } = this;
    const { now } = simulation;
    for (const [{ who }, ms] of this.keptOut.update(this.readersInVain(), now)) {
      if (ms > limits.reader) {
        simulation.violate(
          'readers behind writers',
          `${who} has waited to read ${name} for ${ms.toFixed(1)} ms, although nobody writes or waits to write`,
        );
      }
    }
    for (const [writer, ms] of this.leftBehind.update(this.announcedInVain(), now)) {
      if (ms > limits.announcement) {
        simulation.violate(
          'writers withdrawn',
          `${writer} has counted as waiting for ${name} for ${ms.toFixed(1)} ms after its wait`,
        );
      }
    }
  }

  private waitingFor(half: WaitingCaller['half']): readonly WaitingCaller[] {
    return [...this.callers].filter((caller) => caller.half === half && caller.process.isAlive);
  }

  /** The readers that wait although the lock is free or only read, and no writer waits. */
  private readersInVain(): readonly WaitingCaller[] {
    if (this.server.stored.isWritten(this.name) || this.waitingFor('write').length > 0) return [];
    return this.waitingFor('read').filter(({ process }) => !process.isStalled);
  }

  /** The announced writers of processes that live, without a writer that waits there. */
  private announcedInVain(): readonly string[] {
    const writers = this.waitingFor('write');
    return [...this.server.stored.waitingWriters(this.name)].flatMap(([writer, until]) => {
      if (until <= this.server.now) return [];
      const isOf = ({ clientIds }: SimulatedProcess): boolean => clientIds.has(clientIdOf(writer));
      const process = this.processes.find(isOf);
      return !process?.isAlive || process.isStalled || writers.some((caller) => caller.process === process)
        ? []
        : [writer];
    });
  }
}
