import { readWriteStem } from '../../keys/names.js';
import type { OwnerId } from '../../scope/owner.js';
import type { SteadyScheduler } from '../../time/steady-scheduler.js';
import type { ReadRequest } from '../read-write-transitions.js';
import type { RedisCommands } from './commands.js';
import type { AcquireReply, Limits, ReleaseReply } from './lock-dialect.js';
import { ReadWriteDialect } from './read-write-dialect.js';
import { requestInTime } from './request-in-time.js';
import { scripts } from './scripts/scripts.generated.js';

/**
 * The read half of a read-write lock on Redisson's data: hash `name` with field `mode` and for each reader a field
 * `owner`, value hold count; beside it a time-out key for each read.
 */
export class ReadDialect extends ReadWriteDialect {
  constructor(
    commands: RedisCommands,
    private readonly scheduler: SteadyScheduler,
  ) {
    super(commands, scripts.readLock);
  }

  acquire(request: ReadRequest, { notAfter, deadline }: Limits): Promise<AcquireReply> {
    const { name, owner, lease, behindWriters = false } = request;
    const args = { stem: readWriteStem(name), owner, lease, behindWriters: behindWriters ? 1 : 0, notAfter };
    return this.commands.run(scripts.readLock.acquire, { lock: name }, args, deadline, name);
  }

  /** Not after the deadline, unlike that of other kinds: a writer may read again under the same id. */
  release(name: string, owner: OwnerId, deadline: number): Promise<ReleaseReply> {
    return requestInTime(this.commands, this.scheduler, {
      key: name,
      deadline,
      send: ({ notAfter }) => {
        const timed = { stem: readWriteStem(name), owner, ...this.announcing(name), notAfter };
        return this.commands.run(scripts.readLock.release, { lock: name }, timed, deadline, name);
      },
      read: ([outcome, now]): ReleaseReply | undefined => {
        this.commands.observe(name, now);
        return outcome === 'late' ? undefined : [outcome, now];
      },
    });
  }
}
