import type { PermitId } from '../../../context/ids.js';
import { encode } from '../scripts/script.js';
import { scripts } from '../scripts/scripts.generated.js';
import { permitDeadlines } from '../../../keys/redisson-keys.js';

/** Something that was written, by the script that writes it once more, without a change, if the server still has it. */
export interface Written {
  /** It is on the server of this key. */
  readonly key: string;
  /** The script, whose reply is that of `replication/*.lua`. */
  readonly text: string;
  readonly keyCount: number;
  readonly parameters: readonly string[];
}

const { confirmHold, confirmMarker, confirmPermits } = scripts.replication;

/** A hold, by the field in the hash of its lock. */
export const writtenHold = (key: string, field: string): Written => ({
  key,
  text: confirmHold.text,
  ...encode(confirmHold, { lock: key }, { field }),
});

/** What a request changed, by the marker that it left together with that. */
export const writtenMarker = (marker: string): Written => ({
  key: marker,
  text: confirmMarker.text,
  ...encode(confirmMarker, { marker }, {}),
});

/** A permit that is out; without an id, the number of permits. */
export const writtenPermits = (name: string, id: PermitId = ''): Written => ({
  key: name,
  text: confirmPermits.text,
  ...encode(confirmPermits, { permits: name, deadlines: permitDeadlines(name) }, { id }),
});
