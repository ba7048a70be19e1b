import type { PlantedBug } from './planted-bug.js';

/** The defects that were mended, each with its mend taken out. */
export const mends: readonly PlantedBug[] = [];
