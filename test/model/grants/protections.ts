/** The rules of the protocol that its safety depends on. A mutation of the model leaves one of them out. */
export const PROTECTIONS = [
  'a request is executed once at most',
  'an owner that holds the lock gets the same answer again',
  'a poll without an entry acquires nothing',
  'a poll without an entry is told so',
  'a wait never shortens a lease',
  'the lock is not granted to a client that does not hear of it',
  'no message is sent with a grant that is not made',
  'a message for another owner id is ignored',
  'the lease is counted from the time in the message',
  'the requeue id is set before the release is sent',
  'a release with a requeue is repeated until it is answered',
  'a repeated release that finds nothing is followed by a poll',
  'a withdrawal follows an unknown outcome',
  'a withdrawal is repeated until no request can add an entry',
  'a withdrawal for a cancelled caller is repeated as well',
  'a withdrawal of a requeue id follows the release that carries it',
  'a withdrawal releases what was granted',
  'a first lease becomes the whole one before the caller acts',
  'a lock that was given, and is not taken, is given back',
] as const;

export type Protection = (typeof PROTECTIONS)[number];
