/** The functions of a worker. Their arguments and results survive JSON. */
export type WorkerApi = Record<string, (...args: never[]) => unknown>;

export interface Request {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string | undefined;
}

/** A message of a worker: that it is ready for requests, or the result or failure of one. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: Failure };
