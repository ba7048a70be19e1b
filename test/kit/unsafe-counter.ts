import type { World } from './world.js';

/** A counter with a pause between read and write, so that two callers at a time lose an increment. */
export class UnsafeCounter {
  count = 0;
  mostInside = 0;
  private inside = 0;

  constructor(private readonly world: World) {}

  async add(pause: number): Promise<void> {
    this.inside += 1;
    this.mostInside = Math.max(this.mostInside, this.inside);
    const count = this.count;
    await this.world.time.pause(pause);
    this.count = count + 1;
    this.inside -= 1;
  }
}

/** Runs `work` for `workers` owners at a time, `rounds` times for each. */
export const crowd = (
  workers: number,
  rounds: number,
  work: (worker: number, round: number) => Promise<void>,
): Promise<void[]> =>
  Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      for (let round = 0; round < rounds; round++) await work(worker, round);
    }),
  );
