import type { OwnerId } from '../context/owner-ids.js';

/** A grant as its client is told of it. */
export interface GrantMessage {
  readonly owner: OwnerId;
  /** Milliseconds. */
  readonly lease: number;
  /** The server's time of the grant, ms. */
  readonly serverTime: number;
}

/** `<owner> <lease> <server's time>`, as `shared/waiters/pass-on.lua` writes it. */
export const grantText = (owner: OwnerId, lease: number, serverTime: number): string =>
  `${owner} ${lease} ${serverTime}`;

/** @returns `undefined` for any other message. */
export const parseGrant = (message: string): GrantMessage | undefined => {
  const [, owner, lease, serverTime] = /^(\S+) (\d{1,10}) (\d{1,15})$/.exec(message) ?? [];
  return owner === undefined ? undefined : { owner, lease: Number(lease), serverTime: Number(serverTime) };
};
