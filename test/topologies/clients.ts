import type { ConnectionInput } from '../../lib/index.js';
import { parseModuleOptions } from '../../lib/module/options/redis-lock.options.js';
import { createRuntime } from '../../lib/module/runtime.factory.js';
import { systemScheduler } from '../../lib/time/scheduler.js';
import type { ClientOptions } from '../kit/world.js';
import { Client, Clients } from '../kit/client.js';

/** The clients of one topology, whatever it is. */
export class TopologyClients {
  private readonly clients = new Clients();

  constructor(private readonly connection: () => ConnectionInput) {}

  /** Opens a client and resolves when it can send commands. */
  async open(options: ClientOptions = {}, connection = this.connection()): Promise<Client> {
    const settings = parseModuleOptions({ ...options, connection });
    const client = this.clients.add(new Client(createRuntime(settings, systemScheduler)));
    await client.locks.getLock('connecting').isLocked();
    return client;
  }

  close(): Promise<void> {
    return this.clients.close();
  }
}
