import type { PublishCommand } from '../commands/script-executor.js';
import type { ServerInput } from '../connection/connection-input.js';
import { PubSubCheck } from './pubsub-check.js';
import type { ProbeNames } from './probe-names.js';
import { isForbidden, ProbeConnection, type ProbeTerms } from './probe-connection.js';
import {
  type DirectCommand,
  type MissingPermissions,
  type ScriptPermissions,
  together,
  tryCommands,
  tryScripts,
} from './permissions.js';
import { factsOf, type ServerInfo } from './server-info.js';

/** Server and names of a probe. */
export interface ProbeTarget {
  readonly input: ServerInput;
  /** Address of the server, without user and password. */
  readonly address: string;
  readonly names: ProbeNames;
}

/** The features that the module is going to use there. */
export interface IntendedUse {
  readonly isCluster: boolean;
  readonly publish: PublishCommand;
  /** 0: the default of every connection. */
  readonly database: number;
  /** The command that asks replicas for a write, if any. */
  readonly replicaCommand: 'WAIT' | 'WAITAOF' | undefined;
  readonly guardsRestarts: boolean;
}

/** Result of the inspection of one server. */
export interface ServerReport extends ServerInfo {
  /** When appended changes are flushed to the disk: `always`, `everysec`, `no`. */
  readonly fsync: string | undefined;
  readonly lacks: MissingPermissions;
  /** See {@link ScriptPermissions}. */
  readonly isNameAllowed: boolean;
  readonly scriptsToLoad: readonly string[];
  /** The first word of the refusal if the server accepts no writes now, as `NOREPLICAS`. */
  readonly refusesWrites: string | undefined;
  /** Useful but optional facts that the server did not report, as the ACL rules that allow them. */
  readonly untold: readonly string[];
  readonly names: ProbeNames;
  readonly publish: PublishCommand;
  /** Whether a published message was received; `undefined` if that could not be tried. */
  readonly hearsMessages: boolean | undefined;
}

/**
 * Inspects one server, on connections that are closed afterwards.
 * @throws LockUnavailableError if it does not answer now.
 */
export const lookAtServer = async (place: ProbeTarget, use: IntendedUse, terms: ProbeTerms): Promise<ServerReport> => {
  const server = new ProbeConnection(place.input, 'commands', terms);
  const listener = new ProbeConnection(place.input, 'subscriber', terms);
  try {
    await Promise.all([server.connected(), listener.connected()]);
    const messages = new PubSubCheck(listener, place.names.channel, place.names.channelRule, use.publish, terms);
    const begun = await messages.begin();
    const [facts, direct, inScripts] = await Promise.all([
      askFacts(server, place.address, use),
      tryCommands(server, directCommands(place, use)),
      tryScripts(server, place.names, use.publish),
    ]);
    const hearsMessages = hasSpoken(inScripts, use.publish) ? await messages.heard(terms.commandTimeout) : undefined;
    const ended = await messages.end();
    const { isNameAllowed, scriptsToLoad, isReplica, refusesWrites } = inScripts;
    return {
      ...facts,
      role: facts.role ?? (isReplica ? 'replica' : undefined),
      lacks: together([begun, direct, facts.lacks, inScripts, unknownChannels(begun, inScripts, place.names), ended]),
      isNameAllowed,
      scriptsToLoad,
      refusesWrites,
      names: place.names,
      publish: use.publish,
      hearsMessages,
    };
  } finally {
    await Promise.all([server.close(), listener.close()]);
  }
};

/** The rule for channels, where the user has no command to try one with. */
const unknownChannels = (
  { rules: listening }: MissingPermissions,
  { rules: speaking, isNameAllowed }: ScriptPermissions,
  { channelRule }: ProbeNames,
): MissingPermissions => {
  const isUntried =
    listening.some((rule) => /subscribe$/.test(rule)) && speaking.some((rule) => /^\+s?publish$/.test(rule));
  const untried = isUntried && isNameAllowed ? [channelRule] : [];
  return { rules: untried, untried, commands: [] };
};

/** Whether nothing kept the script from publishing a message. */
const hasSpoken = ({ rules, commands, isNameAllowed }: ScriptPermissions, publish: PublishCommand): boolean => {
  const needed = ['+evalsha', '+eval', `+${publish.toLowerCase()}`];
  const isKept = rules.some((rule) => needed.includes(rule) || rule.startsWith('&'));
  return isNameAllowed && !isKept && commands.length === 0;
};

type Told = ServerInfo & Pick<ServerReport, 'fsync' | 'untold' | 'lacks'>;

const askFacts = async (server: ProbeConnection, address: string, { guardsRestarts }: IntendedUse): Promise<Told> => {
  const info = await server.answer((client) => client.info('default'));
  const facts = factsOf(address, 'reply' in info ? String(info.reply) : '');
  const refused = isForbidden(info) ? ['+info'] : [];
  return {
    ...facts,
    fsync: facts.appendsToFile ? await askFsync(server) : undefined,
    // The restart guard asks for the server's identity with INFO, and needs the answer.
    lacks: { rules: guardsRestarts ? refused : [], commands: [] },
    untold: guardsRestarts ? [] : refused,
  };
};

const askFsync = async (server: ProbeConnection): Promise<string | undefined> => {
  const answer = await server.answer((client) => client.call('CONFIG', 'GET', 'appendfsync'));
  const pair: unknown = 'reply' in answer ? answer.reply : undefined;
  const [, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
  return typeof value === 'string' ? value : undefined;
};

const directCommands = ({ names }: ProbeTarget, use: IntendedUse): readonly DirectCommand[] => [
  ['+ping', (client) => client.ping()],
  ['+time', (client) => client.time()],
  ...when(use.database !== 0, ['+select', (client) => client.call('SELECT', String(use.database))]),
  ...when(use.replicaCommand === 'WAIT', ['+wait', (client) => client.wait(0, 0)]),
  ...when(use.replicaCommand === 'WAITAOF', ['+waitaof', (client) => client.call('WAITAOF', '0', '0', '0')]),
  ...when(use.isCluster, ['+asking', (client) => client.asking()]),
  // The channel of a latch whose name has braces of its own is in another slot than the latch.
  ...when(use.isCluster, ['+publish', (client) => client.call('PUBLISH', names.channel, '0'), names.channelRule]),
];

const when = (isUsed: boolean, command: DirectCommand): readonly DirectCommand[] => (isUsed ? [command] : []);
