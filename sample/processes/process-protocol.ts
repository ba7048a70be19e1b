/** The header that says which process of the shop gave an answer. */
export const PROCESS_HEADER = 'x-shop-process';

/** What a process tells its parent when it cannot open. */
export interface StartFailure {
  readonly failure: string;
}
