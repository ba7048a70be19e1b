import type { ServerResponse } from 'node:http';
import { runOutsideContexts } from '../../context/owner-context.js';
import type { Scheduler } from '../../time/scheduler.js';
import { writeHead } from './raw-exchange.js';

/** A client that has read nothing for this time is disconnected, ms. Its page connects again if it is alive. */
const STALLED_MS = 30_000;

/** After this time a page connects again, ms. */
const RECONNECT_MS = 2000;

/** A stream ends after this time, ms. Its page connects again at once, so the guard decides anew. */
const LIFE_MS = 300_000;

/**
 * The events of one page, as Server-Sent Events. At most one event waits for a client that does not read: those that
 * come meanwhile are left out, because each has the whole state.
 */
export class EventStream {
  /** When the client stopped reading, on the clock; `undefined` while it reads. */
  private fullSince: number | undefined;

  /** @param onEnd Called once when the client is gone, or was disconnected. */
  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Pick<Scheduler, 'now' | 'schedule'>,
    onEnd: (stream: EventStream) => void,
  ) {
    const life = runOutsideContexts(() => clock.schedule(LIFE_MS, () => this.renew()));
    response.once('close', () => {
      life.cancel();
      onEnd(this);
    });
    // An error, such as a reset, is followed by `close`.
    response.on('error', () => response.destroy());
    response.on('drain', () => {
      this.fullSince = undefined;
    });
    writeHead(response, 200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    this.write(`retry: ${RECONNECT_MS}\n\n`);
  }

  /** @param data One line of text. */
  send(event: string, data: string): void {
    if (this.response.destroyed || this.response.writableEnded) return;
    if (this.fullSince === undefined) this.write(`event: ${event}\ndata: ${data}\n\n`);
    else if (this.clock.now() - this.fullSince >= STALLED_MS) this.response.destroy();
  }

  /** Ends the response, or the connection of a client that does not read. */
  close(): void {
    if (this.fullSince === undefined) this.response.end();
    else this.response.destroy();
  }

  /** Ends the response, and tells the page to ask for another. */
  private renew(): void {
    this.send('renew', 'now');
    this.close();
  }

  private write(text: string): void {
    if (!this.response.write(text)) this.fullSince = this.clock.now();
  }
}
