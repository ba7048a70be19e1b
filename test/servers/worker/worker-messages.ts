/** What a worker offers: functions whose arguments and results survive JSON. */
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

/** What a worker says: that it is ready to be asked, or what came of a request. */
export type Message =
  | { readonly kind: 'ready' }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly error: Failure };
