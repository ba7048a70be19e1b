import { LockUnavailableError, messageOf } from '../../errors.js';
import { titleOf } from '../../events/outage.js';
import { PERMANENT, time } from './reply-errors.js';
import { codeOf, MissingClientError } from '../driver/redis-driver.js';
import { UnknownMasterError } from './sentinels.js';
import type { Endpoint } from './target.js';

export const isCut = (error: unknown): boolean => ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/** A server that does not know a command repeats its arguments, such as a password. */
const ARGUMENTS = /,? with args beginning with:[^\n]*/;

/**
 * Removes arguments from an error. A driver may put the failed command into the error, and some servers into its text: for
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

/** Why there is no connection, in words for users: never with a password. */
export interface ConnectionProblem {
  /** True if the server was reached but cannot be used with this configuration; false if it could not be reached. */
  readonly isReached: boolean;
  /** The cause, as the second half of a sentence about the server. */
  readonly reason: string;
  /** The likely remedy. */
  readonly remedy: string | undefined;
  /** Whether another attempt cannot help, as with a wrong password. */
  readonly isPermanent: boolean;
}

/** The known facts about a failed connection. */
interface ConnectionFailure {
  /** The last message; '' if there was none yet. */
  readonly message: string;
  /** Error code of the operating system, or of OpenSSL. */
  readonly code: string;
  readonly endpoint: Endpoint;
  /** Whether it was connected before, which shows that its configuration is right. */
  readonly wasReady: boolean;
}

type Explanation = (failure: ConnectionFailure) => ConnectionProblem | undefined;

const refused = (reason: string, remedy: string): ConnectionProblem => ({
  isReached: true,
  reason,
  remedy,
  isPermanent: true,
});

const misconfigured = (reason: string, remedy: string): ConnectionProblem => ({
  isReached: true,
  reason,
  remedy,
  isPermanent: false,
});

const unreachable = (reason: string, remedy?: string): ConnectionProblem => ({
  isReached: false,
  reason,
  remedy,
  isPermanent: false,
});

const login: Explanation = ({ message, endpoint: { user = 'default', server, isSecure } }) => {
  if (/\bWRONGPASS\b|invalid password/.test(message)) {
    return refused(
      `it refuses the password of user "${user}" (${message})`,
      'give a user and a password that it knows',
    );
  }
  if (/\bNOAUTH\b/.test(message)) {
    const url = server.includes(' ') ? '' : `${isSecure ? 'rediss' : 'redis'}://user:password@${server}, or `;
    return refused(
      'it requires a password, and none was given (NOAUTH)',
      `give ${url}username and password as options`,
    );
  }
  if (/^DENIED\b/.test(message)) {
    return refused(
      'it runs in protected mode, without a password, and accepts only connections from its own machine (DENIED)',
      'set a password there, and use it here',
    );
  }
  return undefined;
};

const rights: Explanation = ({ message, endpoint: { user = 'default', database } }) => {
  if (/DB index is out of range|invalid DB index/.test(message)) {
    return refused(`it has no database ${database} (${message})`, 'give one that it has, or raise "databases" there');
  }
  if (!/\bNOPERM\b/.test(message)) return undefined;
  return refused(
    `its user "${user}" lacks a right (${message.replace(/^Redis refused the command: /, '')})`,
    'grant it; npx nest-redis-lock doctor prints all that are needed',
  );
};

/** Codes of OpenSSL and Node about the certificate of the other end. */
const UNTRUSTED =
  /^(CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|PATH_LENGTH_|HOSTNAME_MISMATCH|ERR_TLS_CERT)/;

const trustIn = (code: string): string => {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) return 'renew it, or correct the clocks';
  if (/ALTNAME|HOSTNAME/.test(code))
    return 'connect by a name that it is valid for, or give that name as tls.servername';
  return 'give the certificate of the authority that issued it as tls.ca';
};

const tls: Explanation = ({ message, code, endpoint: { isSecure, server }, wasReady }) => {
  if (UNTRUSTED.test(code)) return refused(`its certificate is not trusted (${code}: ${message})`, trustIn(code));
  if (/^ERR_SSL_.*(ALERT|CERTIFICATE)/.test(code)) {
    return refused(
      `it refuses our certificate, or the lack of one (${code})`,
      'give tls.cert and tls.key that it trusts',
    );
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    return misconfigured(`it does not speak TLS (${code})`, `without TLS give redis://${server}, and no tls`);
  }
  if (wasReady) return undefined;
  if (isSecure && (code === 'ETIMEDOUT' || message === '')) {
    const said = message === '' ? '' : ` (${message})`;
    return unreachable(`no TLS handshake yet${said}`, `if it runs without TLS give redis://${server}, and no tls`);
  }
  if (!isSecure && (/^(ECONNRESET|EPIPE)$/.test(code) || message === 'Connection is closed.')) {
    return unreachable(
      `it cut the connection before it answered (${message})`,
      `if it expects TLS give rediss://${server}, or tls`,
    );
  }
  return undefined;
};

const protocol: Explanation = ({ message }) =>
  /Unknown RESP type|Protocol error, got/.test(message)
    ? misconfigured(
        'the server there does not speak the Redis protocol',
        'give host and port of Redis, not of HTTP or TLS',
      )
    : undefined;

const commands: Explanation = ({ message }) => {
  if (message.includes('not allowed in cluster mode'))
    return misconfigured(`it is part of a cluster (${message})`, 'give the cluster: { cluster: [nodes] }');
  const missing = /unknown command\W+(\w+)/i.exec(message)?.[1];
  if (missing === undefined) return undefined;
  return misconfigured(
    `it does not know ${missing.toUpperCase()}`,
    'if it is a Sentinel, give { sentinels: [{ host, port }], name }; do not rename or disable commands that locks need',
  );
};

const limits: Explanation = ({ message }) =>
  message.includes('max number of clients')
    ? misconfigured(`it accepts no more connections (${message})`, 'raise maxclients there')
    : undefined;

/** @param refusal The last refusal of a Sentinel. */
const remedyFor = (refusal: string): string => {
  if (/\b(NOAUTH|WRONGPASS)\b/.test(refusal)) return 'give sentinelUsername and sentinelPassword';
  if (/unknown command/i.test(refusal)) return 'give the ports of the Sentinels, such as 26379, and not of Redis';
  return 'check that they run, and check hosts, ports and name';
};

const noMaster = ({ message }: UnknownMasterError, { sentinels }: Endpoint): ConnectionProblem => {
  const last = message === '' ? '' : ` (${message})`;
  return unreachable(`no Sentinel of ${sentinels.join(', ')} knows its address${last}`, remedyFor(message));
};

const noClient = ({ message, packages }: MissingClientError): ConnectionProblem => ({
  ...unreachable(message, `npm install ${packages.join(', or npm install ')}`),
  isPermanent: true,
});

const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'check that it runs, and check host and port',
  ENOTFOUND: 'check the host',
  ENOENT: 'check that it runs, and check the path',
  ETIMEDOUT: 'check host and port, and whether a firewall blocks it',
  EHOSTUNREACH: 'check the host, and whether a firewall blocks it',
};

const SILENT = 'check host and port, and whether it is stopped or behind a firewall';

const network = ({ message, code, wasReady }: ConnectionFailure): ConnectionProblem => {
  if (message === '') return unreachable('it has not answered yet', wasReady ? undefined : SILENT);
  const silentFor = /^Socket timeout\b.* (\d+)ms/.exec(message)?.[1];
  if (silentFor !== undefined) return unreachable(`it has not answered for ${silentFor} ms`);
  // A configuration that worked before needs no check.
  return unreachable(message, wasReady ? undefined : REMEDIES[code]);
};

const EXPLANATIONS: readonly Explanation[] = [login, rights, tls, protocol, commands, limits];

/** @param error The last error; `undefined`: none. */
export const explain = (error: unknown, endpoint: Endpoint, wasReady: boolean): ConnectionProblem => {
  if (error instanceof UnknownMasterError) return noMaster(error, endpoint);
  if (error instanceof MissingClientError) return noClient(error);
  // Without a request to report a bug to the authors of the driver.
  const message = error === undefined ? '' : messageOf(error).replace(/\.? Please report this\.?$/, '');
  const failure = { message, code: codeOf(error), endpoint, wasReady };
  for (const explanation of EXPLANATIONS) {
    const problem = explanation(failure);
    if (problem) return { ...problem, isPermanent: problem.isPermanent || PERMANENT.test(message) };
  }
  return network(failure);
};

/** "Redis at 127.0.0.1:6379 cannot be reached: …; check …" */
export const describeProblem = (server: string, { isReached, reason, remedy }: ConnectionProblem): string =>
  `${titleOf(server)} cannot be ${isReached ? 'used' : 'reached'}: ${withRemedy(reason, remedy)}`;

/** The error if no command could be sent within `ms`. */
export const noConnection = (
  lockName: string | undefined,
  ms: number,
  server: string,
  { reason, remedy, isPermanent }: ConnectionProblem,
  cause: unknown,
): LockUnavailableError => {
  const text = `No connection to ${titleOf(server)} within ${time(ms)}: ${withRemedy(reason, remedy)}`;
  return new LockUnavailableError(text, 'not-sent', isPermanent, { lockName, details: { server }, cause });
};

const withRemedy = (reason: string, remedy: string | undefined): string =>
  // Error replies of servers end with a full stop.
  `${reason.replace(/\.(\)?)$/, '$1')}${remedy === undefined ? '' : `; ${remedy}`}`;
