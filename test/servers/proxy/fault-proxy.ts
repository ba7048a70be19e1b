import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { ProxyConnection } from './proxy-connection.js';
import type { Delivery, DirectionState } from './proxy-direction.js';
import { reset } from './reset.js';

/** Requests go from client to server, replies from server to client. */
export type Direction = 'request' | 'reply' | 'both';
export type CommandPredicate = (command: Buffer) => boolean;

interface ArmedCut {
  readonly when: 'before' | 'after';
  readonly matches: CommandPredicate;
  readonly done: () => void;
}

/** A TCP proxy on loopback in front of a server, with the faults that a network has. */
export class FaultProxy {
  readonly host = '127.0.0.1';
  /** The number of connections accepted since the start. */
  accepted = 0;
  private readonly request: DirectionState = { delay: 0, delivery: 'pass' };
  private readonly reply: DirectionState = { delay: 0, delivery: 'pass' };
  private readonly connections = new Map<Socket, ProxyConnection | undefined>();
  /** Open connections to the server. One outlives its client while a delay or a fault keeps bytes of that client. */
  private readonly upstreams = new Set<ProxyConnection>();
  private readonly cuts: ArmedCut[] = [];
  private acceptance: 'forward' | 'silent' | 'close' = 'forward';

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

  /** The number of connections that clients have open now. */
  get open(): number {
    return this.connections.size;
  }

  /** The number of replies that came from the server and were not delivered yet. */
  get heldReplies(): number {
    return [...this.upstreams].reduce((sum, { heldReplies }) => sum + heldReplies, 0);
  }

  /** Delays each byte by `ms`. */
  delay(ms: number, direction: Direction = 'both'): void {
    this.change(direction, (state) => (state.delay = ms));
  }

  /** Holds all bytes until {@link heal} delivers them, late and in order: a partition that TCP survives. */
  hold(direction: Direction = 'both'): void {
    this.setDelivery('hold', direction);
  }

  /** Discards all bytes. {@link heal} cuts the connections that lost some. */
  blackhole(direction: Direction = 'both'): void {
    this.setDelivery('discard', direction);
  }

  /** Resets every connection. New connections are accepted. */
  cutAll(): void {
    for (const [client, connection] of this.connections) {
      if (connection === undefined) reset(client);
      else connection.cut();
    }
  }

  /**
   * Lets the server execute the first command that matches, then resets its connection in place of the reply. Resolves
   * when both have happened.
   */
  cutAfter(matches: CommandPredicate): Promise<void> {
    return this.arm('after', matches);
  }

  /** Resets the connection of the first command that matches, before the server gets it. Resolves after the reset. */
  cutBefore(matches: CommandPredicate): Promise<void> {
    return this.arm('before', matches);
  }

  /** Accepts new connections and never answers. */
  acceptThenSilent(): void {
    this.acceptance = 'silent';
  }

  /** Accepts new connections and closes them at once. */
  acceptThenClose(): void {
    this.acceptance = 'close';
  }

  /** Ends every fault. Cuts the connections that lost bytes or were never forwarded. */
  heal(): void {
    this.acceptance = 'forward';
    this.cuts.length = 0;
    Object.assign(this.request, { delay: 0, delivery: 'pass' });
    Object.assign(this.reply, { delay: 0, delivery: 'pass' });
    for (const [client, connection] of this.connections) if (connection === undefined) reset(client);
    for (const upstream of this.upstreams) upstream.stateChanged();
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.cutAll();
    for (const upstream of this.upstreams) upstream.cut();
    await closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  private accept(client: Socket): void {
    this.accepted++;
    if (this.acceptance === 'close') {
      client.on('error', () => {});
      client.destroy();
      return;
    }
    client.once('close', () => this.connections.delete(client));
    if (this.acceptance === 'silent') {
      client.on('error', () => {});
      client.resume();
      this.connections.set(client, undefined);
      return;
    }
    const { request, reply } = this;
    const cutFor = (command: Buffer) => this.cutFor(command);
    const upstream = new ProxyConnection(client, this.target, {
      request,
      reply,
      cutFor,
      ended: () => this.upstreams.delete(upstream),
    });
    this.upstreams.add(upstream);
    this.connections.set(client, upstream);
  }

  private cutFor(command: Buffer): ArmedCut | undefined {
    const index = this.cuts.findIndex(({ matches }) => matches(command));
    return index === -1 ? undefined : this.cuts.splice(index, 1)[0];
  }

  private arm(when: 'before' | 'after', matches: CommandPredicate): Promise<void> {
    return new Promise((done) => this.cuts.push({ when, matches, done }));
  }

  private setDelivery(delivery: Delivery, direction: Direction): void {
    this.change(direction, (state) => (state.delivery = delivery));
  }

  private change(direction: Direction, set: (state: DirectionState) => void): void {
    if (direction !== 'reply') set(this.request);
    if (direction !== 'request') set(this.reply);
  }
}

/** Matches commands that contain all of `words` somewhere, in any case. */
export function mentions(...words: string[]): CommandPredicate {
  return (command) => {
    const text = command.toString('latin1').toLowerCase();
    return words.every((word) => text.includes(word.toLowerCase()));
  };
}
