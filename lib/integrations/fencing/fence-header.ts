import { FenceHeaderError, StaleFenceError } from '../../errors.js';
import { formatValue } from '../../validation/format-value.js';
import type { FenceStore } from './fence-store.js';
import { fenceFromText, parseFence, parseResource } from './fence-token.js';

/** The header with the fencing token of a request that writes, in decimal digits. */
export const FENCE_HEADER = 'lock-fence';

/** Headers of a request: of Node and its frameworks, or of the Fetch standard. */
export type RequestHeaders = { get(name: string): string | null } | Readonly<Record<string, unknown>>;

/**
 * The header for a request that writes under a lock.
 * @throws LockOptionsError for a value that is no fencing token.
 *
 * @example
 * await fetch(url, { method: 'PUT', body, headers: fenceHeader(hold.fence) });
 */
export const fenceHeader = (fence: bigint): { readonly [FENCE_HEADER]: string } => ({
  [FENCE_HEADER]: String(parseFence(fence)),
});

/**
 * Checks a request that writes, and records its fence: on the server, before it writes. A request that arrives after
 * one of a later holder is refused. Between the check and the write another request may pass; give the fence to
 * `sqlFence` or `setIfFence` as well if what is written can check it.
 *
 * @param resource What is written. The server decides it by the request's path, so that each has a fence of its own.
 * @returns The fence of the request.
 * @throws FenceHeaderError if the header is missing or malformed; 400 by `LockExceptionFilter`
 * @throws StaleFenceError if a later holder has written; 412 by `LockExceptionFilter`
 */
export const checkFence = async (headers: RequestHeaders, resource: string, store: FenceStore): Promise<bigint> => {
  const name = parseResource(resource);
  const fence = fenceIn(headers);
  const last = await store.advance(name, fence);
  if (last > fence) throw new StaleFenceError(name, fence, last);
  return fence;
};

const fenceIn = (headers: RequestHeaders): bigint => {
  const text: unknown = isFetchHeaders(headers) ? headers.get(FENCE_HEADER) : headers[FENCE_HEADER];
  const fence = typeof text === 'string' ? fenceFromText(text) : undefined;
  if (fence !== undefined && fence > 0n) return fence;
  const found =
    text === undefined || text === null ? 'is missing' : `must be a fencing token, not ${formatValue(text)}`;
  throw new FenceHeaderError(`The header ${FENCE_HEADER} ${found}; send it with fenceHeader(hold.fence)`, {
    details: { header: FENCE_HEADER, found: text ?? undefined },
  });
};

const isFetchHeaders = (headers: RequestHeaders): headers is { get(name: string): string | null } =>
  typeof headers['get' as keyof RequestHeaders] === 'function';
