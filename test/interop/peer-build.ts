import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('./peer', import.meta.url));
const target = join(project, 'target');

/** The class path of the Java peer, after {@link buildPeer}. */
export const peerClassPath = [join(target, 'peer.jar'), join(target, 'lib', '*')].join(':');

/**
 * Builds the Java peer, unless the build in `target/` is newer than its sources. Maven downloads Redisson from its
 * usual repository.
 */
export async function buildPeer(): Promise<void> {
  await available('java', '-version', 'a JDK 17 or later');
  if (isBuilt()) return;
  await available('javac', '-version', 'a JDK 17 or later, not only a runtime');
  await available('mvn', '--version', 'Maven 3.8 or later');
  const maven = await run('mvn', ['-q', '-B', 'package'], project);
  if (maven.code !== 0) throw new Error(`The Java peer could not be built:\n${maven.output}`);
}

function isBuilt(): boolean {
  const built = statSync(join(target, 'peer.jar'), { throwIfNoEntry: false });
  if (!built) return false;
  const sources = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' });
  const files = [join(project, 'pom.xml'), ...sources.map((source) => join(project, 'src', source))];
  return files.every((file) => statSync(file).mtimeMs <= built.mtimeMs);
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
