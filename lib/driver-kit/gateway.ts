import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

const ignore = (): void => {};

/** Stands between a driver and a server: its connections can be counted and cut. Without a server it answers nothing. */
export class Gateway {
  readonly host = '127.0.0.1';
  private readonly clients = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly to: { readonly host: string; readonly port: number } | undefined,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async open(to?: { readonly host: string; readonly port: number }): Promise<Gateway> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Gateway(server, to);
  }

  get port(): number {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.clients.size;
  }

  cut(): void {
    for (const client of this.clients) client.destroy();
  }

  close(): void {
    this.server.close();
    this.cut();
  }

  private accept(client: Socket): void {
    const upstream = this.to && connect(this.to);
    this.clients.add(client);
    client.on('error', ignore).on('close', () => {
      this.clients.delete(client);
      upstream?.destroy();
    });
    // Without a reader, the end of a connection is never seen.
    if (!upstream) client.resume();
    else {
      upstream.on('error', ignore).on('close', () => client.destroy());
      client.pipe(upstream).pipe(client);
    }
  }
}
