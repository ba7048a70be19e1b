import type { Figures } from '../flash-sale/figures.js';

/** The header with the number of the process that answered. */
export const PROCESS_HEADER = 'x-shop-process';

/** The message of a process that could not start, to its parent. */
export interface StartFailure {
  readonly failure: string;
}

/** A request of the page to the process that has started the others, sent by the one that serves it. */
export interface OperatorRequest {
  readonly id: number;
  readonly wanted: 'kill' | 'sell-without-locks';
  /** The process id of the process that holds the sale: a sale ends with its process, so that one is not killed. */
  readonly spare?: number | undefined;
}

/** The answer to a request: what was wanted, or why it is refused. */
export interface OperatorAnswer {
  readonly id: number;
  /** The number of the process that was killed. */
  readonly killed?: number;
  /** The figures of the sale. */
  readonly figures?: Figures;
  readonly refused?: string;
}

export const isOperatorRequest = (message: unknown): message is OperatorRequest =>
  typeof message === 'object' && message !== null && 'wanted' in message;

export const isOperatorAnswer = (message: unknown): message is OperatorAnswer =>
  typeof message === 'object' && message !== null && 'id' in message && !('wanted' in message);
