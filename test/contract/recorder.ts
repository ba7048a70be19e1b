import type { Redis } from 'ioredis';
import { connectAdmin } from '../servers/redis/admin-connection.js';

/** The messages on all channels of a server, in order. */
export class Recorder {
  private readonly heard: (readonly [channel: string, payload: string])[] = [];

  private constructor(private readonly subscriber: Redis) {
    subscriber.on('pmessage', (_pattern: string, channel: string, payload: string) => {
      this.heard.push([channel, payload]);
    });
  }

  static async listenTo(url: string): Promise<Recorder> {
    const subscriber = connectAdmin(url);
    const recorder = new Recorder(subscriber);
    await subscriber.psubscribe('*');
    return recorder;
  }

  /** The messages so far. */
  async messages(): Promise<readonly (readonly [channel: string, payload: string])[]> {
    // A connection receives everything in order, so all earlier messages have arrived.
    await this.subscriber.ping();
    return this.heard;
  }

  close(): void {
    this.subscriber.disconnect();
  }
}
