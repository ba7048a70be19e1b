import type { AdapterTraits, Address, OpenOptions } from '../adapters/adapter.js';
import { JavaPeer } from '../../test/interop/java-peer.js';
import { buildPeer } from '../../test/interop/peer-build.js';
import { cpuTime } from '../cost/cpu-time.js';
import type { Participant } from './participant.js';
import type { Tasks } from './tasks.js';

export const redisson: AdapterTraits = {
  title: 'Redisson (Java)',
  waiting: 'told',
  hasFairLock: true,
  renews: true,
};

/** Memory for 100 threads and 10,000 holds. Everything else is the default. */
const JVM_OPTIONS = ['-Xmx1g'];

const US_PER_MS = 1000;

let built: Promise<void> | undefined;

/** A Java process with one Redisson, which measures itself. Its locks have a watchdog. */
export class JavaParticipant implements Participant {
  private constructor(
    private readonly peer: JavaPeer,
    private readonly fair: boolean,
  ) {}

  static async start({ host, port }: Address, { fair = false, renewedLease }: OpenOptions): Promise<JavaParticipant> {
    // Builds once, even if several are started at the same time.
    await (built ??= buildPeer());
    const peer = await JavaPeer.start({
      url: `redis://${host}:${port}`,
      jvmOptions: JVM_OPTIONS,
      ...(renewedLease === undefined ? {} : { lockWatchdogTimeout: renewedLease }),
    });
    return new JavaParticipant(peer, fair);
  }

  get pid(): number {
    return this.peer.pid;
  }

  async cpuTime(): Promise<number> {
    return cpuTime(this.pid) * US_PER_MS;
  }

  async ask<Name extends keyof Tasks>(
    name: Name,
    task: Parameters<Tasks[Name]>[0],
  ): Promise<Awaited<ReturnType<Tasks[Name]>>> {
    const kind = this.fair ? 'fair' : 'plain';
    return (await this.peer.ask('bench', `bench.${name}`, { ...task, kind })) as Awaited<ReturnType<Tasks[Name]>>;
  }

  async stop(): Promise<void> {
    await this.peer.kill();
  }
}
