import type { DriverConnection } from '../driver/redis-driver.js';

/**
 * The most commands that are written together. The time for their replies runs, and ten thousand of one turn must not
 * wait for its end.
 */
const MOST_TOGETHER = 100;

type Corkable = Pick<DriverConnection, 'cork' | 'uncork'>;

/**
 * Writes the commands of one event-loop turn by few system calls: with many callers, one call for each command would
 * cost more than all the rest. A command with no other in flight is written at once.
 */
export class WriteBatch {
  /** Number of commands that are neither answered nor failed. */
  inFlight = 0;
  /** The connection that is corked until the end of the turn. */
  private corked: Corkable | undefined;
  /** Number of commands that the socket holds back. */
  private heldBack = 0;

  /** To be called before a command is sent. */
  begin(connection: Corkable | undefined): void {
    if (this.inFlight > 0 && connection) this.cork(connection);
    this.inFlight += 1;
  }

  /** To be called when a command was answered, or has failed. */
  end(): void {
    this.inFlight -= 1;
  }

  /** Writes what is held back, before the end of the event-loop turn. */
  flush(): void {
    this.corked?.uncork();
    this.corked?.cork();
  }

  private cork(connection: Corkable): void {
    if (this.corked === connection) {
      this.heldBack += 1;
      if (this.heldBack % MOST_TOGETHER === 0) this.flush();
      return;
    }
    this.corked = connection;
    this.heldBack = 0;
    connection.cork();
    process.nextTick(() => {
      if (this.corked === connection) this.corked = undefined;
      connection.uncork();
    });
  }
}
