import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../servers/process/is-alive.js';
import { engineFiles, mutationsOf, placeOf } from './engine.js';
import { type Mutation, mutated } from './mutation.js';
import { probed } from './typescript-mutations.js';

const SCRIPT = 'lib/backend/scripts/script.ts';
const GENERATED = 'lib/backend/scripts/scripts.generated.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Fingerprint of all files below a folder. */
const fingerprint = (folder: string): string => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return hashOf(paths.map((path) => path + hashOf(readFileSync(path, 'utf8'))).join());
};

/** Copies of the working tree, outside of it: one in which mutations are applied, and one that tells what runs. */
export class Copies {
  /** What was found out already stays here, for a run that was interrupted. */
  readonly state: string;
  readonly plain: string;
  readonly probed: string;
  private readonly sources = new Map<string, string>();

  private readonly owner: string;

  constructor(private readonly root: string) {
    const home = join(tmpdir(), `nest-redis-lock-mutations-${hashOf(root)}`);
    this.state = join(home, fingerprint(join(root, 'lib')));
    this.plain = join(home, 'plain');
    this.probed = join(home, 'probed');
    this.owner = join(home, 'pid');
  }

  /** @throws Error if another run uses the copies: each would try its mutations together with those of the other. */
  make(): void {
    if (existsSync(this.owner)) {
      const pid = Number(readFileSync(this.owner, 'utf8'));
      if (isAlive(pid)) throw new Error(`Process ${pid} uses ${this.plain}: end it first`);
    }
    mkdirSync(this.state, { recursive: true });
    writeFileSync(this.owner, String(process.pid));
    for (const copy of [this.plain, this.probed]) {
      rmSync(copy, { recursive: true, force: true });
      mkdirSync(copy, { recursive: true });
      for (const path of this.files()) cpSync(join(this.root, path), join(copy, path));
      symlinkSync(join(this.root, 'node_modules'), join(copy, 'node_modules'));
    }
    for (const path of [...engineFiles(this.root), GENERATED]) this.source(path);
    this.putProbes();
  }

  /** The files of the working tree as they are, without what is built or installed. */
  private files(): readonly string[] {
    const { stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: this.root,
      encoding: 'utf8',
    });
    return stdout.split('\0').filter((path) => path !== '' && existsSync(join(this.root, path)));
  }

  /** Fingerprint of a spec as it was copied. */
  hashOfSpec(path: string): string {
    return hashOf(readFileSync(join(this.probed, path), 'utf8'));
  }

  /** A file as it was when it was first read: the working tree may change while this runs. */
  source(path: string): string {
    const text = this.sources.get(path) ?? readFileSync(join(this.root, path), 'utf8');
    this.sources.set(path, text);
    return text;
  }

  /** @returns Whether the scripts can still be embedded. */
  apply(mutation: Mutation): boolean {
    writeFileSync(join(this.plain, mutation.file), mutated(this.source(mutation.file), mutation));
    return mutation.file.endsWith('.lua') ? this.embedScripts() : true;
  }

  restore({ file }: Mutation): void {
    for (const path of file.endsWith('.lua') ? [file, GENERATED] : [file])
      writeFileSync(join(this.plain, path), this.source(path));
  }

  /** The names of the scripts whose text a mutation that is applied has changed. */
  changedScripts(): ReadonlySet<string> {
    const before = scriptTexts(this.source(GENERATED));
    const after = scriptTexts(readFileSync(join(this.plain, GENERATED), 'utf8'));
    return new Set([...after].filter(([name, text]) => before.get(name) !== text).map(([name]) => name));
  }

  private embedScripts(): boolean {
    return spawnSync(process.execPath, ['tools/embed-scripts.mjs'], { cwd: this.plain }).status === 0;
  }

  private putProbes(): void {
    for (const file of engineFiles(this.root).filter((path) => path.endsWith('.ts'))) {
      const source = this.source(file);
      writeFileSync(join(this.probed, file), probed(source, mutationsOf(file, source), placeOf));
    }
    // Every script is encoded before it is sent: that it was is all that is known of its lines.
    const text = readFileSync(join(this.probed, SCRIPT), 'utf8');
    const start = 'const parameters: string[] = [];';
    if (!text.includes(start)) throw new Error(`${SCRIPT} does not begin to encode with '${start}' any more`);
    writeFileSync(
      join(this.probed, SCRIPT),
      text.replace(start, `(globalThis as any).reached?.('script ' + name); ${start}`),
    );
  }
}

/** The texts of scripts by their names, each with those of its shared fragments, which the file contains once. */
export const scriptTexts = (generated: string): ReadonlyMap<string, string> => {
  const [, ...parts] = generated.split("name: '");
  const fragments = new Map<string, string>();
  for (const [, name = '', text = ''] of generated.matchAll(/^const (\w+) = `([^`]*)`;$/gm)) fragments.set(name, text);
  const whole = (part: string): string =>
    part.replace(/^ +(\w+),$/gm, (line, name: string) => fragments.get(name) ?? line);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf("'")), whole(part)]));
};
