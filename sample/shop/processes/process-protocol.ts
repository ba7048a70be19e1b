/** The header with the number of the process that answered. */
export const PROCESS_HEADER = 'x-shop-process';

/** The message of a process that could not start, to its parent. */
export interface StartFailure {
  readonly failure: string;
}
