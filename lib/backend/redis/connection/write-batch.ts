import type { RedisClient } from './redis-client.js';

/**
 * Writes the commands of one event-loop turn by one system call: with many callers, one call for each command would
 * cost more than all the rest. A command with no other in flight is written at once.
 */
export class WriteBatch {
  /** Number of commands that are neither answered nor failed. */
  private inFlight = 0;
  private isCorked = false;

  constructor(private readonly client: RedisClient) {}

  /** To be called before a command is sent. */
  begin(): void {
    if (this.inFlight > 0) this.cork();
    this.inFlight += 1;
  }

  /** To be called when the client has answered a command, or failed it. */
  end(): void {
    this.inFlight -= 1;
  }

  private cork(): void {
    const { stream } = this.client;
    if (this.isCorked || !stream) return;
    this.isCorked = true;
    stream.cork();
    process.nextTick(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }
}
