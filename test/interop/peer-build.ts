import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The versions of Redisson that the tests run against, the latest of each major version. The first one is the default. */
export const redissonVersions = ['4.7.0', '3.52.0'] as const;

export type RedissonVersion = (typeof redissonVersions)[number];

const project = fileURLToPath(new URL('./peer', import.meta.url));
const target = join(project, 'target');
const jar = join(target, 'peer.jar');
const libraries = (version: RedissonVersion): string => join(target, `redisson-${version}`);

/** The class path of the Java peer, after {@link buildPeer}. */
export const peerClassPath = (version: RedissonVersion): string => [jar, join(libraries(version), '*')].join(':');

/**
 * Builds the Java peer, unless the build in `target/` is newer than its sources. Maven downloads Redisson from its
 * usual repository. The peer is compiled once, against the version in the POM, and runs with each of them. Older ones
 * lack a few of its operations, which fail when they are called.
 */
export async function buildPeer(): Promise<void> {
  await available('java', '-version', 'a JDK 17 or later');
  if (isBuilt()) return;
  await available('javac', '-version', 'a JDK 17 or later, not only a runtime');
  await available('mvn', '--version', 'Maven 3.8 or later');
  await maven('package');
  for (const version of redissonVersions)
    await maven('dependency:copy-dependencies@class-path', `-Dredisson.version=${version}`);
}

function isBuilt(): boolean {
  const built = statSync(jar, { throwIfNoEntry: false });
  const hasLibraries = (version: RedissonVersion): boolean =>
    statSync(join(libraries(version), `redisson-${version}.jar`), { throwIfNoEntry: false }) !== undefined;
  if (!built || !redissonVersions.every(hasLibraries)) return false;
  const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' });
  const files = [join(project, 'pom.xml'), ...sources.map((source) => join(project, 'src', source))];
  return files.every((file) => statSync(file).mtimeMs <= built.mtimeMs);
}

async function maven(...args: readonly string[]): Promise<void> {
  const { code, output } = await run('mvn', ['-q', '-B', ...args], project);
  if (code !== 0) throw new Error(`The Java peer could not be built:\n${output}`);
}

async function available(program: string, question: string, needed: string): Promise<void> {
  const found = await run(program, [question]).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (found) return;
  throw new Error(
    `The interop tests need ${needed}: there is no working '${program}' in PATH. ` +
      `On Debian: 'apt-get install openjdk-17-jdk-headless maven'.`,
  );
}

async function run(
  program: string,
  args: readonly string[],
  cwd?: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  await once(child, 'close');
  return { code: child.exitCode, output };
}
