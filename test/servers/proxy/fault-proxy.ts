import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { ProxyConnection } from './proxy-connection.js';
import type { Fate, Weather } from './proxy-direction.js';
import { reset } from './reset.js';

/** Which way: from client to server, back, or both. */
export type Way = 'request' | 'reply' | 'both';
export type CommandPredicate = (command: Buffer) => boolean;

interface ArmedCut {
  readonly when: 'before' | 'after';
  readonly matches: CommandPredicate;
  readonly done: () => void;
}

/** A TCP proxy on loopback in front of a server, with the faults that a network has. */
export class FaultProxy {
  readonly host = '127.0.0.1';
  /** How many connections were ever accepted. */
  accepted = 0;
  private readonly request: Weather = { delay: 0, fate: 'pass' };
  private readonly reply: Weather = { delay: 0, fate: 'pass' };
  private readonly connections = new Map<Socket, ProxyConnection | undefined>();
  /** Ways to the server that are open; they outlive their client as long as the weather keeps its last words. */
  private readonly ways = new Set<ProxyConnection>();
  private readonly cuts: ArmedCut[] = [];
  private welcome: 'forward' | 'silent' | 'close' = 'forward';

  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly target: { readonly host: string; readonly port: number },
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(target: { readonly host: string; readonly port: number }): Promise<FaultProxy> {
    const server = createServer({ allowHalfOpen: false }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
    return new FaultProxy(server, address.port, { host: target.host, port: target.port });
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`;
  }

  /** How many connections clients have open now. */
  get open(): number {
    return this.connections.size;
  }

  /** Each byte takes `ms` longer. */
  delay(ms: number, way: Way = 'both'): void {
    this.change(way, (weather) => (weather.delay = ms));
  }

  /** Nothing arrives until {@link heal}, then everything does, late and in order: a partition that TCP survives. */
  hold(way: Way = 'both'): void {
    this.setFate('hold', way);
  }

  /** Nothing arrives, and {@link heal} cuts the connections that lost bytes. */
  blackhole(way: Way = 'both'): void {
    this.setFate('discard', way);
  }

  /** Resets every connection; new ones are welcome. */
  cutAll(): void {
    for (const [client, connection] of this.connections) {
      if (connection === undefined) reset(client);
      else connection.cut();
    }
  }

  /**
   * The first command that matches is executed, then its connection is reset in place of the reply. Resolves when both
   * have happened.
   */
  cutAfter(matches: CommandPredicate): Promise<void> {
    return this.arm('after', matches);
  }

  /** The first command that matches never reaches the server: its connection is reset. Resolves when that happened. */
  cutBefore(matches: CommandPredicate): Promise<void> {
    return this.arm('before', matches);
  }

  /** New connections are accepted and never answered. */
  acceptThenSilent(): void {
    this.welcome = 'silent';
  }

  /** New connections are accepted and closed at once. */
  acceptThenClose(): void {
    this.welcome = 'close';
  }

  /** Ends every fault; connections that cannot go on as if nothing had happened are cut. */
  heal(): void {
    this.welcome = 'forward';
    this.cuts.length = 0;
    Object.assign(this.request, { delay: 0, fate: 'pass' });
    Object.assign(this.reply, { delay: 0, fate: 'pass' });
    for (const [client, connection] of this.connections) if (connection === undefined) reset(client);
    for (const way of this.ways) way.weatherChanged();
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.cutAll();
    for (const way of this.ways) way.cut();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private accept(client: Socket): void {
    this.accepted++;
    if (this.welcome === 'close') {
      client.on('error', () => {});
      client.destroy();
      return;
    }
    client.once('close', () => this.connections.delete(client));
    if (this.welcome === 'silent') {
      client.on('error', () => {});
      client.resume();
      this.connections.set(client, undefined);
      return;
    }
    const { request, reply } = this;
    const cutFor = (command: Buffer) => this.cutFor(command);
    const way = new ProxyConnection(client, this.target, {
      request,
      reply,
      cutFor,
      ended: () => this.ways.delete(way),
    });
    this.ways.add(way);
    this.connections.set(client, way);
  }

  private cutFor(command: Buffer): ArmedCut | undefined {
    const index = this.cuts.findIndex(({ matches }) => matches(command));
    return index === -1 ? undefined : this.cuts.splice(index, 1)[0];
  }

  private arm(when: 'before' | 'after', matches: CommandPredicate): Promise<void> {
    return new Promise((done) => this.cuts.push({ when, matches, done }));
  }

  private setFate(fate: Fate, way: Way): void {
    this.change(way, (weather) => (weather.fate = fate));
  }

  private change(way: Way, set: (weather: Weather) => void): void {
    if (way !== 'reply') set(this.request);
    if (way !== 'request') set(this.reply);
  }
}

/** Matches commands that contain all of `words` somewhere, in any case. */
export function mentions(...words: string[]): CommandPredicate {
  return (command) => {
    const text = command.toString('latin1').toLowerCase();
    return words.every((word) => text.includes(word.toLowerCase()));
  };
}
