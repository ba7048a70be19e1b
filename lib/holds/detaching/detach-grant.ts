import type { HoldOutcome } from '../../backend/lock-operations.js';
import type { OwnerId } from '../../context/owner-ids.js';
import { LockUnavailableError } from '../../errors.js';
import { Stopwatch } from '../../time/scheduler.js';
import { LeaseCommand } from '../../watchdog/lease.js';
import type { Grant } from '../grant.js';
import type { CountedHold } from '../grant-holds.js';
import type { HoldRelease } from '../hold.js';
import { notAlone } from './detach.options.js';

/** A hold that is to end here, and to go on elsewhere. */
interface LeavingHold {
  readonly hold: CountedHold;
  readonly grant: Grant;
  /** Makes another owner the holder. */
  readonly passOn: (from: OwnerId) => Promise<HoldOutcome>;
  /** Called just before the request is sent: from now on the hold is not certain. */
  readonly onSent: (command: LeaseCommand) => void;
  /** Called when the hold has ended, with what a later release is to resolve with. */
  readonly onEnded: (release: HoldRelease) => void;
}

/**
 * Ends the only hold of a grant by a command that makes another owner the holder. The grant ends without a release,
 * unless the command was certainly not executed: then it goes on.
 * @throws LockLostError, LockOwnershipError, LockUnavailableError
 */
export const detachGrant = ({ hold, grant, passOn, onSent, onEnded }: LeavingHold): Promise<void> =>
  grant.betweenCommands(async () => {
    hold.assertHeld();
    if (grant.holds.count > 1) throw notAlone(grant);
    onSent(new LeaseCommand(new Stopwatch(grant.runtime.scheduler), 0));
    const end = (release: HoldRelease): void => {
      onEnded(release);
      grant.endWithoutCommand('detached');
    };
    const reply = await passOn(grant.owner).catch((error: unknown) => {
      if (!wasNotExecuted(error)) end('expired');
      throw error;
    });
    if (reply.outcome === 'held') return end('still-held');
    grant.onLost('gone');
    end('expired');
    throw grant.lossError();
  });

const wasNotExecuted = (error: unknown): boolean =>
  error instanceof LockUnavailableError && error.outcome !== 'unknown';
