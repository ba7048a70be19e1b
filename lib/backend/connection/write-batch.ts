import type { RedisClient } from './redis-client.js';

/**
 * The most commands that are written together. The time for their replies runs, and ten thousand of one turn must not
 * wait for its end.
 */
const MOST_TOGETHER = 100;

/**
 * Writes the commands of one event-loop turn by few system calls: with many callers, one call for each command would
 * cost more than all the rest. A command with no other in flight is written at once.
 */
export class WriteBatch {
  /** Number of commands that are neither answered nor failed. */
  inFlight = 0;
  private isCorked = false;
  /** Number of commands that the socket holds back. */
  private heldBack = 0;

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

  /** Writes what is held back, before the end of the event-loop turn. */
  flush(): void {
    const { stream } = this.client;
    if (!stream || !this.isCorked) return;
    stream.uncork();
    stream.cork();
  }

  private cork(): void {
    const { stream } = this.client;
    if (!stream) return;
    if (this.isCorked) {
      this.heldBack += 1;
      if (this.heldBack % MOST_TOGETHER === 0) this.flush();
      return;
    }
    this.isCorked = true;
    this.heldBack = 0;
    stream.cork();
    process.nextTick(() => {
      this.isCorked = false;
      stream.uncork();
    });
  }
}
