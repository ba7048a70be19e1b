import type { OwnerId } from '../../context/owner-ids.js';
import type { PermitId } from '../../context/permit-ids.js';
import { encode } from '../scripts/script.js';
import { scripts } from '../scripts/scripts.generated.js';
import { limitPermits, permitDeadlines } from '../../keys/redisson-keys.js';

/** A write, described by the script that writes it again, unchanged, if the server still has it. */
export interface Written {
  /** Key that determines the server. */
  readonly key: string;
  /** The script. Its reply is that of `replication/*.lua`. */
  readonly text: string;
  readonly keyCount: number;
  readonly parameters: readonly string[];
}

const { confirmHold, confirmLimit, confirmMarker, confirmPermits } = scripts.replication;

/** A hold, by its field in the hash of the lock. */
export const writtenHold = (key: string, field: string): Written => ({
  key,
  text: confirmHold.text,
  ...encode(confirmHold, { lock: key }, { field }),
});

/** A permit of a limit. */
export const writtenPermit = (name: string, owner: OwnerId): Written => {
  const permits = limitPermits(name);
  return { key: permits, text: confirmLimit.text, ...encode(confirmLimit, { permits }, { owner }) };
};

/** The change of a request, by the idempotency key that was written together with it. */
export const writtenIdempotencyKey = (idempotencyKey: string): Written => ({
  key: idempotencyKey,
  text: confirmMarker.text,
  ...encode(confirmMarker, { marker: idempotencyKey }, {}),
});

/** A permit in use; without an id, the number of permits. */
export const writtenPermits = (name: string, id: PermitId = ''): Written => ({
  key: name,
  text: confirmPermits.text,
  ...encode(confirmPermits, { permits: name, deadlines: permitDeadlines(name) }, { id }),
});
