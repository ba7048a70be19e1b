import { createHash, randomBytes } from 'node:crypto';
import { clientIdFrom, type OwnerId } from '../../context/owner-ids.js';
import { invalidOption } from '../../validation/options.js';

/** The kinds of locks whose holds can be detached. */
const DETACHABLE_KINDS = ['plain', 'fair', 'fenced', 'spin'] as const;
export type DetachableKind = (typeof DETACHABLE_KINDS)[number];

declare const isHoldToken: unique symbol;

/**
 * A detached hold as text, for JSON: opaque, and secret, since it is all that is needed to attach the hold. Text that comes
 * from elsewhere is one by `as HoldToken`; `attach` checks it.
 */
export type HoldToken = string & { readonly [isHoldToken]: true };

/** Contents of a token. */
export interface DetachedHold {
  /** The name of the connection. */
  readonly connection: string;
  readonly kind: DetachableKind;
  /** The full name of the lock. */
  readonly name: string;
  readonly secret: string;
  readonly fence: bigint | undefined;
}

/** Tells the format from a later one. */
const FORMAT = 1;
const SECRET_BYTES = 16;
const CHECK_DIGITS = 8;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

export const newSecret = (): string => randomBytes(SECRET_BYTES).toString('hex');

/**
 * The owner that holds the lock until the token is attached. Others see an owner id, for instance when they find the
 * lock held, so the id must not tell the secret.
 */
export const ownerOfSecret = (secret: string): OwnerId => `${clientIdFrom(hashOf(secret))}:1`;

export const tokenOf = ({ connection, kind, name, secret, fence }: DetachedHold): HoldToken => {
  const fields = [FORMAT, connection, kind, name, secret, fence?.toString() ?? ''];
  const body = Buffer.from(JSON.stringify(fields)).toString('base64url');
  return `${body}.${hashOf(body).slice(0, CHECK_DIGITS)}` as HoldToken;
};

/** @throws LockOptionsError if the value is no token. Whether the hold is still there only the server knows. */
export const parseToken = (value: unknown): DetachedHold => {
  const found = typeof value === 'string' ? fieldsOf(value) : undefined;
  const [format, connection, kindName, name, secret, fence] = found ?? [];
  const kind = DETACHABLE_KINDS.find((known) => known === kindName);
  if (format !== FORMAT || !kind || !isText(connection) || !isText(name) || !isText(secret) || !isFence(fence))
    throw invalidOption('token', value, 'a token of hold.detach()');
  return { connection, kind, name, secret, fence: fence === '' ? undefined : BigInt(fence) };
};

/** Whether the value is a fence in decimal digits, or the empty text of a lock without fences. */
const isFence = (value: unknown): value is string => typeof value === 'string' && /^\d*$/.test(value);

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const fieldsOf = (token: string): readonly unknown[] | undefined => {
  const [body = '', check, ...rest] = token.split('.');
  if (rest.length > 0) return undefined;
  // Only what `tokenOf` has written has the right check digits by accident.
  if (check !== hashOf(body).slice(0, CHECK_DIGITS)) return undefined;
  try {
    const fields: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    return Array.isArray(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
};
