import { globMatcher } from '../../keys/glob.js';
import type { BackendListener } from '../backend-listener.js';
import type { MessageListener, PubSub, Subscription } from '../pubsub.js';
import {
  type AskedServer,
  type PublishCommand,
  type ScriptExecutor,
  timeoutWithin,
} from '../commands/script-executor.js';
import { unavailable, unexpectedReply } from '../connection/reply-errors.js';
import { type ArgumentsOf, encode, isReplyOf, type KeysOf, type ReplyOf, type Script } from '../scripts/script.js';
import type { Transport } from '../transport.js';
import { Refusal, Status } from './keyspace.js';
import type { MemoryServer } from './memory-server.js';

/** Sends scripts to a server in this process, which executes them at once and is never unavailable. */
class MemoryExecutor implements ScriptExecutor, AskedServer {
  private refusal: Error | undefined;

  constructor(
    private readonly server: MemoryServer,
    readonly commandTimeout: number,
  ) {}

  timeoutFor(lease: number): number {
    return timeoutWithin(this.commandTimeout, lease);
  }

  isConnected(): boolean {
    return this.refusal === undefined;
  }

  async whenConnected(): Promise<void> {
    if (this.refusal) throw this.refusal;
  }

  turn(): undefined {
    return undefined;
  }

  serverTime(): number {
    return this.server.now();
  }

  longestSince(_key: string, serverTime: number): number {
    return Math.max(0, this.server.now() - serverTime);
  }

  knowsReceivers(): boolean {
    return true;
  }

  mayGrant(): boolean {
    return true;
  }

  latest(_key: string, notAfter: number): number {
    return notAfter;
  }

  shardOf(): number {
    return 0;
  }

  publishCommand(): PublishCommand {
    return 'PUBLISH';
  }

  async run<S extends Script>(
    script: S,
    keys: KeysOf<S>,
    args: ArgumentsOf<S>,
    _deadline: number,
    name?: string,
  ): Promise<ReplyOf<S>> {
    const { keyCount, parameters } = encode(script, keys, args);
    try {
      const reply = this.server.run(script, parameters.slice(0, keyCount), parameters.slice(keyCount));
      if (!isReplyOf(script, reply)) throw unexpectedReply(reply);
      return reply;
    } catch (error) {
      throw error instanceof Refusal ? unavailable(name, error) : error;
    }
  }

  async replicasWith(): Promise<number> {
    return 0;
  }

  async masters(): Promise<readonly AskedServer[]> {
    if (this.refusal) throw this.refusal;
    return [this];
  }

  /** `SCAN` only, which replies with all keys at once. */
  async send([, , , match = '*', , , , type]: readonly string[]): Promise<unknown> {
    const { keyspace } = this.server;
    const isMatch = globMatcher(match);
    const isOfType = (key: string): boolean => {
      const found = keyspace.call(['TYPE', key]);
      return found instanceof Status && found.text === type;
    };
    return ['0', keyspace.keys().filter((key) => isMatch(key) && isOfType(key))];
  }

  /** Nothing happens to the server. */
  watch(_listener: BackendListener): void {}

  refuse(reason: Error): void {
    this.refusal = reason;
  }

  open(): void {}

  async close(): Promise<void> {}
}

/** The connection of a client to a server in this process. */
export const memoryTransport = (server: MemoryServer, commandTimeout: number): Transport => {
  const client = {};
  const pubSub: PubSub = {
    subscribe: async (channel: string, listener: MessageListener): Promise<Subscription> => ({
      alive: true,
      cancel: server.subscribe(client, channel, listener),
    }),
  };
  return { commands: new MemoryExecutor(server, commandTimeout), pubSub, check: async () => [], close: async () => {} };
};
