import type { Address, OpenOptions } from '../adapters/adapter.js';
import { Worker } from '../../test/servers/worker/worker.js';
import type { Participant } from './participant.js';
import type { NodeTasks } from './tasks.js';

const file = new URL('./library.worker.ts', import.meta.url);

/** A Node process with one library. */
export class NodeParticipant implements Participant {
  private constructor(private readonly worker: Worker<NodeTasks>) {}

  /**
   * @param adapter Its name on the command line.
   * @param node Path of the Node that runs it.
   */
  static async start(adapter: string, address: Address, options: OpenOptions, node: string): Promise<NodeParticipant> {
    const args = [adapter, JSON.stringify(address), JSON.stringify(options)];
    return new NodeParticipant(await Worker.start<NodeTasks>(file, { args, node }));
  }

  get pid(): number {
    return this.worker.pid;
  }

  cpuTime(): Promise<number> {
    return this.ask('cpuTime');
  }

  ask<Name extends keyof NodeTasks>(
    name: Name,
    ...task: Parameters<NodeTasks[Name]>
  ): Promise<Awaited<ReturnType<NodeTasks[Name]>>> {
    return this.worker.call(name, ...task);
  }

  async stop(): Promise<void> {
    await this.worker.stop();
  }
}
