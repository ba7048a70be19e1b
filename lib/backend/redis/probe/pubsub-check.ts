import { onAbort } from '../../../time/abort-listeners.js';
import type { PublishCommand } from '../commands/script-executor.js';
import type { ProbeConnection, ProbeTerms } from './probe-connection.js';
import { type DirectCommand, type MissingPermissions, tryCommands } from './permissions.js';

/** Subscribes to the channel of the probe as waiters do to those of locks. */
export class PubSubCheck {
  private isListening = false;
  private arrived = false;
  private onArrival = (): void => {};

  constructor(
    private readonly server: ProbeConnection,
    private readonly channel: string,
    /** The ACL rule that allows the channel. */
    private readonly rule: string,
    /** The command that will publish the message. */
    private readonly publish: PublishCommand,
    private readonly terms: Pick<ProbeTerms, 'scheduler' | 'signal'>,
  ) {}

  /**
   * Resolves when the server has acknowledged the subscription, with the permissions and commands that were missing.
   */
  async begin(): Promise<MissingPermissions> {
    this.server.client.on(this.isSharded ? 'smessage' : 'message', () => {
      this.arrived = true;
      this.onArrival();
    });
    const plain: DirectCommand = ['+subscribe', (client) => client.subscribe(this.channel), this.rule];
    const sharded: DirectCommand = ['+ssubscribe', (client) => client.ssubscribe(this.channel), this.rule];
    const listening = ([right, command, rule]: DirectCommand): DirectCommand => [
      right,
      async (client) => {
        const reply = await command(client);
        this.isListening = true;
        return reply;
      },
      rule,
    ];
    return tryCommands(this.server, this.isSharded ? [plain, listening(sharded)] : [listening(plain)]);
  }

  /** Resolves with whether a message has arrived, within `ms` of now; with `undefined` without a subscription. */
  async heard(ms: number): Promise<boolean | undefined> {
    if (!this.isListening) return undefined;
    if (!this.arrived) {
      const { scheduler, signal } = this.terms;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          timer.cancel();
          unlisten();
          resolve();
        };
        const timer = scheduler.schedule(ms, end, { keepAlive: true });
        const unlisten = onAbort(signal, end);
        this.onArrival = end;
      });
    }
    return this.arrived;
  }

  end(): Promise<MissingPermissions> {
    const sharded: DirectCommand = ['+sunsubscribe', (client) => client.sunsubscribe(this.channel)];
    const plain: DirectCommand = ['+unsubscribe', (client) => client.unsubscribe(this.channel)];
    return tryCommands(this.server, this.isSharded ? [plain, sharded] : [plain]);
  }

  private get isSharded(): boolean {
    return this.publish === 'SPUBLISH';
  }
}
