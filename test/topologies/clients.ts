import type { ConnectionInput } from '../../lib/advanced.js';
import { Client, type ClientOptions, Clients, openClient } from '../kit/client.js';
import { ServedScheduler } from '../kit/served-scheduler.js';

/** The clients of one topology. */
export class TopologyClients {
  private readonly clients = new Clients();
  private scheduler: ServedScheduler | undefined;

  constructor(private readonly connection: () => ConnectionInput) {}

  /** Opens a client, which connects later. */
  openAtOnce(options: ClientOptions = {}, connection = this.connection()): Client {
    const scheduler = (this.scheduler ??= new ServedScheduler());
    return this.clients.add(openClient({ ...options, connection }, { scheduler }));
  }

  /** Opens a client and resolves when it can send commands. */
  async open(options: ClientOptions = {}, connection = this.connection()): Promise<Client> {
    const client = this.openAtOnce(options, connection);
    await client.connected();
    return client;
  }

  async close(): Promise<void> {
    await this.clients.close();
    this.scheduler?.stop();
    this.scheduler = undefined;
  }
}
