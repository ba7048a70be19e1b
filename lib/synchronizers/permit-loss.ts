import { LockLostError } from '../errors.js';
import { lossRemedy } from '../holds/loss-error.js';
import type { LossReason } from '../watchdog/lease.js';

const REASONS: Readonly<Record<LossReason, string>> = {
  'lease-over': 'its lease ended before it was released',
  'held-too-long': 'it was held for longer than maxHold, and the watchdog stopped renewing it',
  gone: 'the server no longer has it, because its lease ended or the semaphore was deleted',
};

/** Called with the reason why a permit is lost, and how to prevent that. */
export type LossListener = (reason: string, remedy: string) => void;

/** How to prevent the loss of a permit that is not renewed. */
export const REMEDY =
  'give the permit a longer lease or none, or let it be renewed, and check for code that releases it or deletes the semaphore';

/** Why a permit was lost, and how to prevent that. */
export const permitLoss = (reason: LossReason, isRenewed: boolean): Parameters<LossListener> => [
  REASONS[reason],
  isRenewed ? lossRemedy(reason, true) : REMEDY,
];

export const lostPermit = (name: string, permit: string, reason: LossReason | undefined): LockLostError =>
  new LockLostError(
    `Permit ${permit} of semaphore "${name}" is lost: ${REASONS[reason ?? 'lease-over']}; stop, another caller may have it`,
    { lockName: name, details: { permit, reason } },
  );
