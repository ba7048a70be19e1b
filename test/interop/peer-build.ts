import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RedisServer } from '../servers/redis/redis-server.js';

/** The versions of Redisson that the tests run against, the latest of each major version. The first one is the default. */
export const redissonVersions = ['4.7.0', '3.52.0'] as const;

export type RedissonVersion = (typeof redissonVersions)[number];

const project = fileURLToPath(new URL('./peer', import.meta.url));
const target = join(project, 'target');
const jar = join(target, 'peer.jar');
const libraries = (version: RedissonVersion): string => join(target, `redisson-${version}`);
/** The classes of a connected peer as the JVM maps them into memory: they are read and checked once, not at each start. */
const archive = (version: RedissonVersion): string => join(target, `redisson-${version}.jsa`);

/** The class path of the Java peer, after {@link buildPeer}. */
export const peerClassPath = (version: RedissonVersion): string => [jar, join(libraries(version), '*')].join(':');

const SMALL = ['-XX:+UseSerialGC', '-Xmx256m', '-XX:TieredStopAtLevel=1'];

/** Options of the JVM for a start in a third of the time. No test runs long enough for the optimising compiler to pay. */
export const fastStart = (version: RedissonVersion): readonly string[] => [
  ...SMALL,
  `-XX:SharedArchiveFile=${archive(version)}`,
];

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
  for (const version of redissonVersions) rmSync(archive(version), { force: true });
  await maven('package');
  for (const version of redissonVersions)
    await maven('dependency:copy-dependencies@class-path', `-Dredisson.version=${version}`);
  for (const version of redissonVersions) await archiveClasses(version);
}

function isBuilt(): boolean {
  const built = statSync(jar, { throwIfNoEntry: false });
  // What is made last tells that all is made.
  const isArchived = (version: RedissonVersion): boolean =>
    statSync(archive(version), { throwIfNoEntry: false }) !== undefined;
  if (!built || !redissonVersions.every(isArchived)) return false;
  const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' });
  const files = [join(project, 'pom.xml'), ...sources.map((source) => join(project, 'src', source))];
  return files.every((file) => statSync(file).mtimeMs <= built.mtimeMs);
}

async function archiveClasses(version: RedissonVersion): Promise<void> {
  const server = await RedisServer.start();
  try {
    const options = [...SMALL, `-XX:ArchiveClassesAtExit=${archive(version)}`, '-cp', peerClassPath(version)];
    // Without input the peer ends once it is connected.
    const { code, output } = await run('java', [...options, 'interop.Main', 'single', server.url, '30000', '300000']);
    if (code !== 0) throw new Error(`The classes of Redisson ${version} could not be archived:\n${output}`);
  } finally {
    await server.stop();
  }
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
