/** Of the operating system, OpenSSL or Node; '' where there is none. */
export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

export const isCut = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/**
 * A server that refuses our certificate says so and cuts, in TLS 1.3 after we believe that we are connected: whether it is
 * heard before the cut is a matter of luck. Once it was, it stays the reason.
 */
export const isHandshakeError = (error: unknown): boolean => codeOf(error).startsWith('ERR_SSL_');

/** Whether the server refused to change to the database that was asked for. ioredis goes on in another one then. */
export const isDatabaseRefusal = (error: unknown): error is Error => {
  const command: unknown = error instanceof Error && 'command' in error ? error.command : undefined;
  return typeof command === 'object' && command !== null && 'name' in command && command.name === 'select';
};

/** A server that does not know a command repeats what it was given, such as a password. */
const ARGUMENTS = /,? with args beginning with:[^\n]*/;

/**
 * ioredis puts the command that failed into the error, and some servers into its text: for HELLO and AUTH that is the
 * password, for whoever logs it.
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
