import { connect, type Socket } from 'node:net';
import { ProxyDirection, type DirectionState } from './proxy-direction.js';
import { RequestFrames } from './request-frames.js';
import { reset } from './reset.js';

/** A cut that waits for its command. */
export interface PendingCut {
  readonly when: 'before' | 'after';
  readonly done: () => void;
}

export interface ProxyRules {
  readonly request: DirectionState;
  readonly reply: DirectionState;
  /** The cut that this command sets off, if any. */
  cutFor(command: Buffer): PendingCut | undefined;
  /** Called once the connection to the server is closed. */
  ended(): void;
}

/** One client's connection through the proxy. */
export class ProxyConnection {
  private readonly server: Socket;
  private readonly frames = new RequestFrames();
  private readonly requests: ProxyDirection;
  private readonly replies: ProxyDirection;
  private isCut = false;

  constructor(
    private readonly client: Socket,
    target: { readonly host: string; readonly port: number },
    private readonly rules: ProxyRules,
  ) {
    this.requests = new ProxyDirection(rules.request);
    this.replies = new ProxyDirection(rules.reply);
    this.server = connect({ ...target, noDelay: true });
    client.setNoDelay(true);
    client.on('data', (chunk) => this.request(chunk));
    client.on('close', () => this.unlessCut(() => this.requests.carry(() => this.server.end())));
    this.server.on('data', (chunk) => this.unlessCut(() => this.replies.carry(() => this.client.write(chunk))));
    this.server.once('close', () => this.rules.ended());
    this.server.on('close', () => this.unlessCut(() => this.replies.carry(() => this.client.destroy())));
    // Errors are followed by 'close'.
    this.server.on('error', () => {});
    client.on('error', () => {});
  }

  /** The number of replies that the client has not been sent yet. */
  get heldReplies(): number {
    return this.replies.pending;
  }

  /** Sends what was held after a change of state. Cuts the connection if one of its streams has lost bytes. */
  stateChanged(): void {
    if (this.requests.hasHole || this.replies.hasHole) return this.cut();
    this.requests.drain();
    this.replies.drain();
  }

  /** Resets the client's connection. The server may still execute commands that it has received. */
  cut(): void {
    this.leaveClient();
    this.server.destroy();
  }

  private request(chunk: Buffer): void {
    for (const command of this.frames.push(chunk)) {
      if (this.isCut) return;
      const pending = this.rules.cutFor(command);
      if (pending === undefined) this.requests.carry(() => this.server.write(command));
      else if (pending.when === 'before') this.cutBefore(pending);
      else this.cutAfter(command, pending);
    }
  }

  private cutBefore({ done }: PendingCut): void {
    this.leaveClient();
    // Does not destroy the socket, because that could discard earlier commands.
    this.server.end();
    done();
  }

  /**
   * The server executes everything it has received before it sees the end of the stream and closes in turn. So its
   * close shows that the command was executed, without a look at the replies.
   */
  private cutAfter(command: Buffer, { done }: PendingCut): void {
    this.isCut = true;
    this.replies.stop();
    this.server.once('close', () => {
      this.leaveClient();
      done();
    });
    this.requests.carry(() => this.server.end(command));
  }

  private unlessCut(action: () => void): void {
    if (!this.isCut) action();
  }

  private leaveClient(): void {
    this.isCut = true;
    this.requests.stop();
    this.replies.stop();
    reset(this.client);
  }
}
