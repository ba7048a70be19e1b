import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answers } from './answers.js';
import type { Certificates, Identity } from './certificates.js';
import { onFreePort } from '../process/free-port.js';
import { serverBinary } from '../install.js';
import { killWithUs, letExit, type Reaper } from '../process/reaper.js';

export interface RedisServerOptions {
  /** Settings as on the command line, `['--maxmemory', '10mb']`. They override all others. */
  readonly args?: readonly string[];
  readonly port?: number;
  /** Content of a file of settings, which the server may write to. `args` override it. */
  readonly config?: string;
  /** Environment variables in addition to those of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Makes the server speak only TLS, with clients that show a certificate of the same authority. */
  readonly tls?: ServerTls;
}

export interface ServerTls {
  readonly certificates: Certificates;
  /** Identity that the server shows. Default: 'server', which is valid. */
  readonly identity?: Identity;
}

const START_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 3_000;

/** A real server on loopback, with a folder of its own. It writes nothing to disk unless `args` say so. */
export class RedisServer {
  readonly host = '127.0.0.1';
  private child: ChildProcess | undefined;
  private reaper: Reaper | undefined;
  private isPaused = false;

  private constructor(
    readonly port: number,
    private readonly options: Omit<RedisServerOptions, 'port'>,
    /** Folder that the server writes to. Kept from one start to the next, removed by {@link stop}. */
    readonly folder: string,
  ) {}

  /** Starts a server and resolves when it answers. */
  static async start({ port, ...options }: RedisServerOptions = {}): Promise<RedisServer> {
    if (port === undefined) return onFreePort((free) => RedisServer.start({ ...options, port: free }));
    const server = new RedisServer(port, options, mkdtempSync(join(tmpdir(), 'redis-')));
    if (options.config !== undefined) writeFileSync(server.configFile, options.config);
    try {
      await server.launch();
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  get url(): string {
    return `${this.options.tls === undefined ? 'redis' : 'rediss'}://${this.host}:${this.port}`;
  }

  /** The value of `requirepass` among the arguments. */
  get password(): string | undefined {
    const { args = [] } = this.options;
    const at = args.indexOf('--requirepass');
    return at === -1 ? undefined : args[at + 1];
  }

  get pid(): number {
    const pid = this.child?.pid;
    if (pid === undefined) throw new Error(`The server on port ${this.port} is not running`);
    return pid;
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  /** Whether it runs and is not paused. */
  get isAnswering(): boolean {
    return this.isRunning && !this.isPaused;
  }

  /** Stops the server's process. Connections stay open. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
    this.isPaused = true;
  }

  resume(): void {
    process.kill(this.pid, 'SIGCONT');
    this.isPaused = false;
  }

  /** Ends the server as a crash does. {@link restart} starts it again. */
  async kill9(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Crashes the server if it runs, and starts it on the same port: empty, unless `args` turn persistence on. */
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

  private get configFile(): string {
    return join(this.folder, 'redis.conf');
  }

  /** All settings, as on the command line. */
  private get settings(): readonly string[] {
    const { args = [], config, tls } = this.options;
    return [
      ...(config === undefined ? [] : [this.configFile]),
      ...['--port', String(this.port), '--bind', this.host, '--dir', this.folder, '--daemonize', 'no'],
      ...(tls === undefined ? [] : tlsSettings(this.port, tls)),
      ...['--save', '', '--appendonly', 'no', ...args],
    ];
  }

  private async launch(): Promise<void> {
    const log = join(this.folder, 'server.log');
    const output = openSync(log, 'w');
    const env = { ...process.env, ...this.options.environment };
    const child = spawn(serverBinary(), this.settings, { stdio: ['ignore', output, output], env });
    closeSync(output);
    await once(child, 'spawn');
    letExit(child);
    this.child = child;
    this.isPaused = false;
    if (child.pid !== undefined) this.reaper = killWithUs(child.pid, this.folder);
    child.once('exit', () => this.forget(child));
    await this.answering(child, log);
  }

  private async answering(child: ChildProcess, log: string): Promise<void> {
    const limit = performance.now() + START_LIMIT_MS;
    const { host, port, password } = this;
    const tls = this.options.tls?.certificates.credentials();
    while (!(await answers({ host, port, password, tls }, child.pid))) {
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
    // A paused process acts on no other signal.
    child.kill('SIGCONT');
    const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await gone;
    clearTimeout(killTimer);
  }
}

function tlsSettings(port: number, { certificates, identity = 'server' }: ServerTls): string[] {
  const { authority, certificate, key } = certificates.files(identity);
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'yes'],
    ...['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', authority],
  ];
}
