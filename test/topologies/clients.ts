import type { ConnectionInput } from '../../lib/index.js';
import { Client, type ClientOptions, Clients, openClient } from '../kit/client.js';

/** The clients of one topology. */
export class TopologyClients {
  private readonly clients = new Clients();

  constructor(private readonly connection: () => ConnectionInput) {}

  /** Opens a client, which connects later. */
  openAtOnce(options: ClientOptions = {}, connection = this.connection()): Client {
    return this.clients.add(openClient({ ...options, connection }));
  }

  /** Opens a client and resolves when it can send commands. */
  async open(options: ClientOptions = {}, connection = this.connection()): Promise<Client> {
    const client = this.openAtOnce(options, connection);
    await client.connected();
    return client;
  }

  close(): Promise<void> {
    return this.clients.close();
  }
}
