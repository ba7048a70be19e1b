import type { ReleaseOutcome } from '../../lib/backend/lock-operations.js';

/** A release whose announcement `heard` clients received. */
export const released = (heard: number): ReleaseOutcome => ({ outcome: 'released', heard });
