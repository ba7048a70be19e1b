import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { serverBinary } from './install.js';
import { killWithUs, letExit, type Reaper } from './reaper.js';

export interface RedisServerOptions {
  /** Settings as on the command line, `['--maxmemory', '10mb']`; they win over those given here. */
  readonly args?: readonly string[];
  readonly port?: number;
}

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 3_000;
const ATTEMPTS = 5;

/** A real server on loopback, with a folder of its own and nothing written to disk unless `args` ask for it. */
export class RedisServer {
  readonly host = '127.0.0.1';
  private child: ChildProcess | undefined;
  private reaper: Reaper | undefined;

  private constructor(
    readonly port: number,
    private readonly args: readonly string[],
    /** Where the server writes; kept from one start to the next, removed by {@link stop}. */
    readonly folder: string,
  ) {}

  /** Starts a server and resolves when it answers. */
  static async start({ args = [], port }: RedisServerOptions = {}): Promise<RedisServer> {
    for (let attempt = 1; ; attempt++) {
      const folder = mkdtempSync(join(tmpdir(), 'redis-'));
      const server = new RedisServer(port ?? (await freePort()), args, folder);
      try {
        await server.launch();
        return server;
      } catch (error) {
        await server.stop();
        // Between asking for a free port and taking it somebody else may have taken it.
        const portWasTaken = error instanceof Error && error.message.includes('Address already in use');
        if (port !== undefined || !portWasTaken || attempt === ATTEMPTS) throw error;
      }
    }
  }

  get url(): string {
    return `redis://${this.host}:${this.port}`;
  }

  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error(`The server on port ${this.port} is not running`);
    return pid;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /** Stops answering, as a process does that gets no time; connections stay open. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Ends the server as a crash does; {@link restart} brings it back. */
  async kill9(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Crashes the server if it runs and starts it on the same port: empty, unless `args` ask for persistence. */
  async restart(): Promise<void> {
    await this.kill9();
    await this.launch();
  }

  /** Ends the server and removes its folder; may be called again. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private async launch(): Promise<void> {
    const log = join(this.folder, 'server.log');
    const output = openSync(log, 'w');
    const settings = ['--port', String(this.port), '--bind', this.host, '--dir', this.folder, '--daemonize', 'no'];
    const child = spawn(serverBinary(), [...settings, '--save', '', '--appendonly', 'no', ...this.args], {
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    await once(child, 'spawn');
    letExit(child);
    this.child = child;
    if (child.pid !== undefined) this.reaper = killWithUs(child.pid, this.folder);
    child.once('exit', () => this.forget(child));
    await this.answering(child, log);
  }

  private async answering(child: ChildProcess, log: string): Promise<void> {
    const limit = performance.now() + START_LIMIT_MS;
    const password = this.args[this.args.indexOf('--requirepass') + 1];
    const auth = this.args.includes('--requirepass') ? `AUTH ${password}\r\n` : '';
    while (!(await answers(this.host, this.port, auth, child.pid))) {
      if (this.child !== child) throw new Error(`redis-server ended while starting:\n${readFileSync(log, 'utf8')}`);
      if (performance.now() > limit) throw new Error(`redis-server did not answer:\n${readFileSync(log, 'utf8')}`);
      await sleep(10);
    }
  }

  private forget(child: ChildProcess): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.reaper?.callOff();
    this.reaper = undefined;
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    const gone = once(child, 'exit');
    child.ref();
    child.kill(signal);
    // A paused server takes no other signal.
    child.kill('SIGCONT');
    const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(impatience);
  }
}

/** Whether the server there is ready and is ours: another one may have taken the port, and answers just as well. */
function answers(host: string, port: number, auth: string, pid: number | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 500 });
    let reply = '';
    const settle = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => socket.write(`${auth}INFO server\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      reply += chunk.toString();
      if (reply.includes(`process_id:${pid}\r\n`) && reply.includes('+PONG')) settle(true);
    });
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
