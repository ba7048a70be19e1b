import type { Ask, JavaLockKind, JavaLockName } from './peer-messages.js';
import { JavaLatch } from './java-latch.js';
import { JavaFencedLock, JavaLock } from './java-lock.js';
import { JavaPermits } from './java-permits.js';
import { JavaSemaphore } from './java-semaphore.js';
import type { SectionsDone, SectionsWanted } from './sections.js';

/** One Java thread, which is one owner to Redisson. It does its tasks one after the other. */
export class JavaThread {
  constructor(
    readonly name: string,
    private readonly ask: Ask,
  ) {}

  /** The thread's owner id in Redis. */
  async owner(): Promise<string> {
    return String(await this.ask('owner', {}));
  }

  lock(name: string, kind: JavaLockKind = 'plain'): JavaLock {
    return new JavaLock({ kind, name }, this.ask);
  }

  fencedLock(name: string): JavaFencedLock {
    return new JavaFencedLock(name, this.ask);
  }

  multiLock(...of: readonly JavaLockName[]): JavaLock {
    return new JavaLock({ kind: 'multi', of }, this.ask);
  }

  semaphore(name: string): JavaSemaphore {
    return new JavaSemaphore(name, this.ask);
  }

  permits(name: string): JavaPermits {
    return new JavaPermits(name, this.ask);
  }

  latch(name: string): JavaLatch {
    return new JavaLatch(name, this.ask);
  }

  /** Runs critical sections within Java, without a message for each. */
  async sections(kind: JavaLockKind, { lockName, ...wanted }: SectionsWanted): Promise<SectionsDone> {
    const lock: JavaLockName = { kind, name: lockName };
    return (await this.ask('sections', { lock, ...wanted })) as SectionsDone;
  }
}
