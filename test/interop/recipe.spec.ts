import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createLocks, type LockService } from '../../lib/standalone.js';
import { besideRedisson, closeInvoice } from '../../docs/recipes/java-and-node/close-invoice.js';
import { Gate } from '../kit/gate.js';
import { inWorld } from '../kit/every-backend.js';
import { RedisWorld } from '../kit/redis-world.js';
import { track } from '../kit/time.js';
import { killWithUs } from '../servers/process/reaper.js';
import { lockChannel } from '../../lib/keys/redisson-keys.js';
import { buildPeer, fastStart, peerClassPath, type RedissonVersion } from './peer-build.js';

const file = fileURLToPath(new URL('../../docs/recipes/java-and-node/CloseInvoice.java', import.meta.url));
const redis = new RedisWorld();
const NAME = 'billing:invoice:7';
/** Watchdog time-out of a process that is killed, ms. */
const WATCHDOG = 1500;
/** One that no stall outlasts, ms. */
const LONG_WATCHDOG = 30_000;
/** Far less than the end of a lease would take: the waiter was woken. */
const AT_ONCE = 4000;

class JavaProgram {
  private said = '';

  constructor(private readonly child: ChildProcessWithoutNullStreams) {
    child.stdout.on('data', (chunk: Buffer) => (this.said += chunk.toString()));
  }

  says(line: string): boolean {
    return this.said.split('\n').includes(line);
  }

  /** Lets the work end. */
  finish(): void {
    this.child.stdin.end('\n');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

// Older versions have the NameMapper in another place of the Config.
const VERSION: RedissonVersion = '4.7.0';

inWorld(redis, ({ time }) => {
  beforeAll(buildPeer);

  const startJava = (renewedLease: number): JavaProgram => {
    const args = [...fastStart(VERSION), '-cp', peerClassPath(VERSION), file, redis.server.url, '7'];
    const child = spawn('java', [...args, String(renewedLease)]);
    const reaper = child.pid === undefined ? undefined : killWithUs(child.pid);
    const program = new JavaProgram(child);
    redis.onReset(async () => {
      await program.kill();
      reaper?.callOff();
    });
    return program;
  };
  const openNode = async (): Promise<LockService> => {
    const locks = await createLocks({ ...besideRedisson(redis.server.url, LONG_WATCHDOG), probe: false });
    redis.onReset(() => locks.close());
    return locks;
  };
  const closing = (java: JavaProgram, within = 60_000): Promise<unknown> =>
    time.until(() => java.says('closing'), within);
  const listening = (): Promise<unknown> =>
    time.until(async () => (await redis.probe.subscribers(lockChannel(NAME))) > 0, 60_000);

  describe('An invoice that Java and Node close', () => {
    it('is closed by Node as soon as Java has finished', async () => {
      const java = startJava(LONG_WATCHDOG);
      const locks = await openNode();
      await closing(java);
      await expect(redis.admin.hlen(NAME)).resolves.toBe(1);
      const inNode = closeInvoice(locks, '7', async () => 'closed');
      const progress = track(inNode);
      await listening();
      expect(progress.settled).toBe(false);
      java.finish();
      await time.until(() => java.says('closed'), AT_ONCE);
      await expect(time.finish(inNode, AT_ONCE)).resolves.toBe('closed');
    });

    it('is closed by Java as soon as Node has finished', async () => {
      const locks = await openNode();
      const work = new Gate();
      const inNode = closeInvoice(locks, '7', () => work.pass());
      await work.reached;
      const java = startJava(LONG_WATCHDOG);
      await listening();
      expect(java.says('closing')).toBe(false);
      work.open();
      await inNode;
      await closing(java, AT_ONCE);
    });

    it('is closed by Node within the lease if Java dies', async () => {
      const java = startJava(WATCHDOG);
      const locks = await openNode();
      await closing(java);
      const inNode = closeInvoice(locks, '7', async () => 'closed');
      await listening();
      await java.kill();
      await expect(time.finish(inNode, WATCHDOG + 5000)).resolves.toBe('closed');
    });
  });
});
