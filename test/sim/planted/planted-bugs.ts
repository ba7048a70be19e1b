import type { PlantedBug } from './planted-bug.js';

/** Mistakes that somebody could make in the library some day. */
export const plantedBugs: readonly PlantedBug[] = [];
