import { existsSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faketimeBinary } from '../install.js';
import { RedisServer } from './redis-server.js';

const LIBRARIES = ['lib/x86_64-linux-gnu', 'lib/aarch64-linux-gnu', 'lib', 'lib64'].map((folder) =>
  join('/usr', folder, 'faketime', 'libfaketime.so.1'),
);

/** The path of libfaketime, which is installed if it is missing. */
const fakeTimeLibrary = (): string => {
  const program = faketimeBinary();
  const library = LIBRARIES.find((path) => existsSync(path));
  if (library !== undefined) return library;
  throw new Error(
    `Setting the clock of a server needs the library of ${program}, which is none of ${LIBRARIES.join(', ')}`,
  );
};

/** A server whose wall clock can be set. */
export class ClockedServer {
  private constructor(
    readonly server: RedisServer,
    private readonly file: string,
  ) {}

  static async start(): Promise<ClockedServer> {
    const file = join(mkdtempSync(join(tmpdir(), 'clock-')), 'offset');
    writeFileSync(file, '+0');
    const environment = {
      // libc comes last: in any other order the server recurses in its allocator and dies.
      LD_PRELOAD: `${fakeTimeLibrary()} libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // The time zone in which instants are written.
      TZ: 'UTC',
      // The monotonic clock stays real, so that timers run.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    return new ClockedServer(await RedisServer.start({ environment }), file);
  }

  /** Stops the server's clock at an instant, whole ms since 1970, and so many µs after it. */
  standAt(instant: number, micros = 0): void {
    // Adds half a microsecond, because fractions are not read exactly.
    const fraction = `${String(micros).padStart(3, '0')}5`;
    const text = new Date(instant).toISOString().replace('T', ' ').replace('Z', fraction);
    // Replaces the file in one step, because the server may read it at any time.
    writeFileSync(`${this.file}.next`, text);
    renameSync(`${this.file}.next`, this.file);
  }

  /** Sets the server's clock off by this many seconds, or lets it run at another rate: `x1.05`. */
  set(offset: number | `x${number}`): void {
    writeFileSync(this.file, typeof offset === 'string' ? `+0 ${offset}` : `${offset < 0 ? '' : '+'}${offset}`);
  }
}
