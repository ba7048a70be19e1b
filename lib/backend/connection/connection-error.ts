/** Error code of the operating system, OpenSSL or Node; '' if there is none. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

export const isCut = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/**
 * Whether the TLS handshake failed. A server that refuses our certificate sends an alert and closes the connection, in
 * TLS 1.3 after we consider ourselves connected: whether the alert arrives before the close is a matter of luck. Once
 * it did, it stays the reason.
 */
export const isHandshakeError = (error: unknown): boolean => codeOf(error).startsWith('ERR_SSL_');

/** Whether the server refused to change to the requested database. ioredis goes on in another one then. */
export const isDatabaseRefusal = (error: unknown): error is Error => {
  const command: unknown = error instanceof Error && 'command' in error ? error.command : undefined;
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select';
};

/** A server that does not know a command repeats its arguments, such as a password. */
const ARGUMENTS = /,? with args beginning with:[^\n]*/;

/**
 * Removes arguments from an error. ioredis puts the failed command into the error, and some servers into its text: for
 * HELLO and AUTH that would put the password into logs.
 */
export const withoutSecrets = (error: unknown): unknown => {
  if (typeof error !== 'object' || error === null) return error;
  Reflect.deleteProperty(error, 'command');
  if (error instanceof Error && ARGUMENTS.test(error.message)) {
    const { stack } = error;
    error.message = error.message.replace(ARGUMENTS, '');
    if (stack !== undefined) error.stack = stack.replace(ARGUMENTS, '');
  }
  return error;
};
