/** A lock of the Java side: one of Redisson's kinds, or several locks as one. */
export type JavaLockName =
  | { readonly kind: JavaLockKind; readonly name: string }
  | { readonly kind: 'multi'; readonly of: readonly JavaLockName[] };

export type JavaLockKind =
  'plain' | 'fair' | 'fenced' | 'spin' | 'nonReentrant' | 'nonReentrantFair' | 'read' | 'write';

/** Runs an operation on a certain thread of the peer. */
export type Ask = (op: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** One line to the peer. The arguments of the operation come beside these three fields. */
export interface PeerRequest {
  readonly id: number;
  readonly thread: string;
  readonly op: string;
  readonly [argument: string]: unknown;
}

export interface JavaFailure {
  /** The simple name of the class. */
  readonly type: string;
  readonly message: string;
  /** The class and the message of the cause, or empty text. */
  readonly cause: string;
}

/** One line from the peer: first that it is ready, then the result of each request, as it ends. */
export type PeerReply =
  | { readonly ready: string }
  | { readonly id: number; readonly ok: unknown }
  | { readonly id: number; readonly error: JavaFailure };
