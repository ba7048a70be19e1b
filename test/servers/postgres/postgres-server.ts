import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { onFreePort } from '../process/free-port.js';
import { postgresBinaries } from '../install.js';
import { letExit, quitWithUs, type Reaper, removeWithUs } from '../process/reaper.js';

const START_LIMIT_MS = 20_000;
const STOP_LIMIT_MS = 5_000;

const execute = promisify(execFile);

interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** PostgreSQL refuses to run as root. */
const account = (): Account => {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
};

/** A real PostgreSQL server on loopback, empty, in a folder of its own. */
export class PostgresServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly reaper: Reaper,
    readonly port: number,
    readonly folder: string,
  ) {}

  /** Starts a server and resolves when it answers. */
  static async start(): Promise<PostgresServer> {
    const binaries = postgresBinaries();
    const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
    const reaper = removeWithUs(folder);
    const as = account();
    if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid);
    try {
      const settings = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
      await execute(join(binaries, 'initdb'), [...settings, folder], as);
      return await onFreePort((port) => PostgresServer.launch(join(binaries, 'postgres'), as, port, folder));
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    } finally {
      reaper.callOff();
    }
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  get pid(): number {
    const { pid } = this.child;
    if (pid === undefined) throw new Error('The server did not start');
    return pid;
  }

  /** Ends the server and removes its folder; may be called again. */
  async stop(): Promise<void> {
    await end(this.child);
    this.reaper.callOff();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  private static async launch(binary: string, as: Account, port: number, folder: string): Promise<PostgresServer> {
    const log = join(folder, 'server.log');
    const output = openSync(log, 'w');
    const settings = [
      ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'dynamic_shared_memory_type=mmap'],
      ...['fsync=off', 'logging_collector=off', 'log_destination=stderr', 'lc_messages=C'],
    ];
    const args = ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])];
    const child = spawn(binary, args, { ...as, stdio: ['ignore', output, output] });
    closeSync(output);
    await once(child, 'spawn');
    letExit(child);
    const reaper = quitWithUs(Number(child.pid), folder);
    try {
      await answering(child, log);
      return new PostgresServer(child, reaper, port, folder);
    } catch (error) {
      await end(child);
      reaper.callOff();
      throw error;
    }
  }
}

const answering = async (child: ChildProcess, log: string): Promise<void> => {
  const limit = performance.now() + START_LIMIT_MS;
  for (;;) {
    const said = readFileSync(log, 'utf8');
    if (said.includes('database system is ready to accept connections')) return;
    if (hasEnded(child)) throw new Error(`postgres ended while starting:\n${said}`);
    if (performance.now() > limit) throw new Error(`postgres did not start:\n${said}`);
    await sleep(20);
  }
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Ends the server without waiting for its clients, whose transactions it rolls back. */
const end = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const gone = once(child, 'exit');
  child.ref();
  child.kill('SIGINT');
  const killTimer = setTimeout(() => child.kill('SIGQUIT'), STOP_LIMIT_MS);
  await gone;
  clearTimeout(killTimer);
};
