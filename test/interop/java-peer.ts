import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { killWithUs, letExit, type Reaper } from '../servers/process/reaper.js';
import { JavaThread } from './java-thread.js';
import { buildPeer, fastStart, peerClassPath, type RedissonVersion, redissonVersions } from './peer-build.js';
import type { JavaFailure, PeerReply, PeerRequest } from './peer-messages.js';

export interface PeerOptions {
  /** The kind of deployment that the server of the URL belongs to. Default: `single`, a server by itself. */
  readonly topology?: 'single' | 'cluster';
  readonly url: string;
  /** Default: the latest version. */
  readonly version?: RedissonVersion;
  /** Redisson's `lockWatchdogTimeout`, ms. Default: 30 s, as in Redisson. */
  readonly lockWatchdogTimeout?: number;
  /** Redisson's `fairLockWaitTimeout`, ms. Default: 5 min, as in Redisson. */
  readonly fairLockWaitTimeout?: number;
  /** Options of the JVM. By default it starts fast and stays small. */
  readonly jvmOptions?: readonly string[];
}

/** An error thrown in Java, under the name of its Java class. */
export class JavaError extends Error {
  constructor({ type, message, cause }: JavaFailure) {
    super(message, { cause });
    this.name = type;
  }
}

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type JavaProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** A Java process with one Redisson client, which the test controls. */
export class JavaPeer {
  private readonly asked = new Map<number, Asked>();
  private readonly threads = new Map<string, JavaThread>();
  private readonly exited: Promise<void>;
  private readonly becameReady: Promise<string>;
  private announceReady: (clientId: string) => void = () => {};
  private complaints = '';
  private lastId = 0;

  private constructor(
    private readonly child: JavaProcess,
    private readonly reaper: Reaper | undefined,
  ) {
    this.becameReady = new Promise((resolve) => {
      this.announceReady = resolve;
    });
    this.exited = new Promise((resolve) => {
      child.once('close', () => {
        this.reaper?.callOff();
        for (const id of this.asked.keys()) this.settle(id)?.reject(this.ended());
        resolve();
      });
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.complaints += chunk.toString();
    });
    // A request to a process that has ended is rejected by the handler of `close`.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => this.receive(JSON.parse(line) as PeerReply));
  }

  /** Builds the peer if need be, and resolves when Redisson is connected. */
  static async start({
    topology = 'single',
    url,
    version = redissonVersions[0],
    lockWatchdogTimeout = 30_000,
    fairLockWaitTimeout = 300_000,
    jvmOptions = fastStart(version),
  }: PeerOptions): Promise<JavaPeer> {
    await buildPeer();
    const args = [topology, url, lockWatchdogTimeout, fairLockWaitTimeout].map(String);
    const child = spawn('java', [...jvmOptions, '-cp', peerClassPath(version), 'interop.Main', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    await once(child, 'spawn');
    letExit(child);
    const peer = new JavaPeer(child, child.pid === undefined ? undefined : killWithUs(child.pid));
    await Promise.race([peer.becameReady, peer.failure()]);
    return peer;
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('The Java peer did not start');
    return pid;
  }

  /** What Redisson has logged so far: warnings and errors. */
  get log(): string {
    return this.complaints;
  }

  /** The long-lived thread of that name. */
  thread(name: string): JavaThread {
    let thread = this.threads.get(name);
    if (!thread) {
      thread = new JavaThread(name, (op, args) => this.ask(name, op, args));
      this.threads.set(name, thread);
    }
    return thread;
  }

  /** Shuts Redisson down and waits for the process to end. Nothing is released. */
  async close(): Promise<void> {
    this.child.stdin.end();
    await this.exited;
  }

  /** Kills the process, as a crash does. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  /** Runs an operation that no {@link JavaThread} has a method for. */
  ask(thread: string, op: string, args: Readonly<Record<string, unknown>>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        reject(this.ended());
        return;
      }
      const request: PeerRequest = { ...args, id: ++this.lastId, thread, op };
      this.asked.set(request.id, { resolve, reject });
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  }

  private receive(reply: PeerReply): void {
    if ('ready' in reply) this.announceReady(reply.ready);
    else if ('error' in reply) this.settle(reply.id)?.reject(new JavaError(reply.error));
    else this.settle(reply.id)?.resolve(reply.ok);
  }

  private settle(id: number): Asked | undefined {
    const asked = this.asked.get(id);
    this.asked.delete(id);
    return asked;
  }

  private async failure(): Promise<never> {
    await this.exited;
    throw this.ended();
  }

  private ended(): Error {
    const { exitCode, signalCode } = this.child;
    return new Error(`The Java peer ended with ${signalCode ?? `code ${exitCode}`}:\n${this.complaints}`);
  }
}
