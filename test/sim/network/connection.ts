import type { Simulation } from '../engine/simulation.js';
import type { Delays } from './delays.js';

/** One end of a connection. Frames that arrive while it is stalled wait. */
export interface ConnectionEnd {
  readonly name: string;
  /** Runs `run` here at an instant, or at the end of a stall. Never runs it if this end has died. */
  enqueue(at: number, run: () => void): unknown;
}

/** Executes a request on the server. Resolves with the reply, or rejects with the error reply. */
type Execute = () => Promise<unknown>;

interface Frame {
  readonly what: string;
  readonly run: () => void;
}

const CLOSED = 'Connection is closed.';
/** The message of ioredis by which the library knows that nothing was sent. */
const NOT_WRITABLE = "Stream isn't writeable and enableOfflineQueue options is false";

/** The longest time for which requests of a broken connection stay in buffers on their way, ms. */
const LATEST_AFTER_CUT_MS = 300;

/** Keeps the order of one direction of one connection with any delays. */
class Direction {
  private readonly frames: Frame[] = [];
  private lastAt = 0;

  constructor(
    private readonly simulation: Simulation,
    private readonly end: ConnectionEnd,
    private readonly delays: Delays,
  ) {}

  send(frame: Frame): void {
    this.frames.push(frame);
    this.lastAt = Math.max(this.lastAt + 1e-7, this.simulation.now + this.delays.next());
    this.end.enqueue(this.lastAt, () => this.frames.shift()?.run());
  }

  /** Decides for each frame on its way whether it is lost. Those that are not may be `ms` later than otherwise. */
  lose(isLost: () => boolean, ms: number): void {
    const later = ({ run }: Frame): void => void this.end.enqueue(this.simulation.now + ms, run);
    for (const [index, frame] of this.frames.entries()) {
      const { what } = frame;
      this.frames[index] = { what, run: isLost() ? () => {} : () => later(frame) };
    }
  }
}

/** One TCP connection, from its beginning until it breaks. */
class Link {
  isBroken = false;
  readonly toServer: Direction;
  readonly toClient: Direction;
  private readonly pending = new Set<(error: Error) => void>();

  constructor(
    simulation: Simulation,
    client: ConnectionEnd,
    server: ConnectionEnd,
    delays: Delays,
    private readonly onAnswer: () => void,
  ) {
    this.toServer = new Direction(simulation, server, delays);
    this.toClient = new Direction(simulation, client, delays);
  }

  request(what: string, execute: Execute): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.pending.add(reject);
      const answer = (settle: () => void): void => {
        this.push(`reply to ${what}`, () => {
          this.pending.delete(reject);
          this.onAnswer();
          settle();
        });
      };
      this.toServer.send({
        what,
        run: () =>
          void execute().then(
            (reply) => answer(() => resolve(reply)),
            (error: unknown) => answer(() => reject(error)),
          ),
      });
    });
  }

  push(what: string, run: () => void): void {
    if (!this.isBroken) this.toClient.send({ what, run: () => this.isBroken || run() });
  }

  break(): void {
    this.isBroken = true;
    for (const reject of this.pending) reject(new Error(CLOSED));
    this.pending.clear();
  }
}

export interface ConnectionListener {
  /** A new connection is ready. */
  onReady(): void;
  onBroken(): void;
  /** The server has answered. */
  onAnswer(): void;
  /** A request is on its way. */
  onRequest(what: string): void;
}

/** A client's connection to a server. Some time after it broke, a new one replaces it. */
export class SimulatedConnection {
  private link: Link | undefined;
  private readonly waiting = new Set<() => void>();
  private isClosed = false;

  constructor(
    private readonly simulation: Simulation,
    private readonly client: ConnectionEnd,
    private readonly server: ConnectionEnd,
    private readonly delays: Delays,
    private readonly listener: ConnectionListener,
  ) {
    this.link = this.connect();
  }

  get isReady(): boolean {
    return this.link !== undefined;
  }

  request(what: string, execute: Execute): Promise<unknown> {
    const { simulation } = this;
    simulation.note(this.client.name, () => `asks ${what}`);
    if (simulation.isAtRest) simulation.violate('nothing left', `${this.client.name} still asks ${what}`);
    if (!this.link) return Promise.reject(new Error(NOT_WRITABLE));
    const reply = this.link.request(what, execute);
    this.listener.onRequest(what);
    return reply;
  }

  /** Sends messages of the server to this client, over the current connection. */
  get push(): (what: string, run: () => void) => void {
    const { link } = this;
    return (what, run) => link?.push(what, run);
  }

  /** Calls `resolve` when there is a connection. Returns a function that cancels the call. */
  whenReady(resolve: () => void): () => void {
    this.waiting.add(resolve);
    return () => this.waiting.delete(resolve);
  }

  /** Breaks the connection. A new one follows `downFor` ms later. */
  cut(downFor: number): void {
    const { link, simulation } = this;
    if (!link) return;
    this.link = undefined;
    const { rng } = simulation;
    link.toServer.lose(() => rng.chance(0.5), rng.pick([0, 10, LATEST_AFTER_CUT_MS]) * rng.next());
    link.break();
    this.listener.onBroken();
    this.client.enqueue(simulation.now + downFor, () => this.becomeReady());
  }

  close(): void {
    this.isClosed = true;
    this.link?.break();
    this.link = undefined;
  }

  /** Closes the connection of a client that has died, without a call of its listener. */
  abandon(): void {
    this.isClosed = true;
    if (this.link) this.link.isBroken = true;
  }

  private becomeReady(): void {
    if (this.isClosed) return;
    this.link = this.connect();
    this.listener.onReady();
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private connect(): Link {
    return new Link(this.simulation, this.client, this.server, this.delays, () => this.listener.onAnswer());
  }
}
