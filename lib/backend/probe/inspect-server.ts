import { onAbort } from '../../time/abort-listeners.js';
import type { PublishCommand } from '../commands/script-executor.js';
import { isForbidden, ProbeConnection, type ProbeTerms } from './probe-connection.js';
import {
  type DirectCommand,
  type MissingPermissions,
  type ScriptPermissions,
  together,
  tryCommands,
  tryScripts,
} from './permissions.js';
import type { ServerTarget } from '../connection/target.js';
import type { RedisConnection } from '../connection/redis-connection.js';
import type { ProbeNames } from './probe-names.js';

/** Subscribes to the channel of the probe as waiters do to those of locks. */
class PubSubCheck {
  private isListening = false;
  private arrived = false;
  private onArrival = (): void => {};

  constructor(
    private readonly server: ProbeConnection,
    private readonly channel: string,
    /** The ACL rule that allows the channel. */
    private readonly rule: string,
    /** The command that will publish the message. */
    private readonly publish: PublishCommand,
    private readonly terms: Pick<ProbeTerms, 'scheduler' | 'signal'>,
  ) {}

  /**
   * Resolves when the server has acknowledged the subscription, with the permissions and commands that were missing.
   */
  async begin(): Promise<MissingPermissions> {
    this.server.onMessage = () => {
      this.arrived = true;
      this.onArrival();
    };
    const to = (isSharded: boolean) => (connection: RedisConnection) => connection.subscribe([this.channel], isSharded);
    const plain: DirectCommand = ['+subscribe', to(false), this.rule];
    const sharded: DirectCommand = ['+ssubscribe', to(true), this.rule];
    const listening = ([right, command, rule]: DirectCommand): DirectCommand => [
      right,
      async (connection) => {
        const reply = await command(connection);
        this.isListening = true;
        return reply;
      },
      rule,
    ];
    return tryCommands(this.server, this.isSharded ? [plain, listening(sharded)] : [listening(plain)]);
  }

  /** Resolves with whether a message has arrived, within `ms` of now; with `undefined` without a subscription. */
  async heard(ms: number): Promise<boolean | undefined> {
    if (!this.isListening) return undefined;
    if (!this.arrived) {
      const { scheduler, signal } = this.terms;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          timer.cancel();
          unlisten();
          resolve();
        };
        const timer = scheduler.schedule(ms, end, { keepAlive: true });
        const unlisten = onAbort(signal, end);
        this.onArrival = end;
      });
    }
    return this.arrived;
  }

  end(): Promise<MissingPermissions> {
    const from = (isSharded: boolean) => (connection: RedisConnection) =>
      connection.unsubscribe([this.channel], isSharded);
    const sharded: DirectCommand = ['+sunsubscribe', from(true)];
    const plain: DirectCommand = ['+unsubscribe', from(false)];
    return tryCommands(this.server, this.isSharded ? [plain, sharded] : [plain]);
  }

  private get isSharded(): boolean {
    return this.publish === 'SPUBLISH';
  }
}

/** A server's report about itself. `undefined` means that this user may not read the fact: unknown, never "no". */
interface ServerInfo {
  /** Its address, without user and password. */
  readonly address: string;
  /** `Redis`, `Valkey`, `KeyDB` … */
  readonly kind: string;
  /** The version of Redis whose commands it has, as `[7, 0]`. */
  readonly level: readonly [major: number, minor: number] | undefined;
  /** Its own version, in its own spelling. */
  readonly version: string | undefined;
  readonly runId: string | undefined;
  /** Whether it only watches servers, and stores nothing. */
  readonly isSentinel: boolean | undefined;
  readonly isClusterNode: boolean | undefined;
  readonly role: 'master' | 'replica' | undefined;
  /** For a replica: `host:port` of its master, as the replica knows it. */
  readonly master: string | undefined;
  /** Bytes; 0: no limit. */
  readonly memoryLimit: number | undefined;
  /** Its behaviour at that limit: `noeviction`, `allkeys-lru` … */
  readonly evictionPolicy: string | undefined;
  /** Whether it appends every change to a file. */
  readonly appendsToFile: boolean | undefined;
  readonly replicas: number | undefined;
}

/** Servers compatible with Redis, each with the field of its own version, which no other reports. */
const OTHER_KINDS: readonly (readonly [kind: string, field: string])[] = [
  ['Valkey', 'valkey_version'],
  ['Dragonfly', 'dragonfly_version'],
  ['Garnet', 'garnet_version'],
];

const levelOf = (version: string | undefined): readonly [number, number] | undefined => {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
};

const isOn = (value: string | undefined): boolean | undefined => (value === undefined ? undefined : value === '1');

const numberOf = (value: string | undefined): number | undefined =>
  value === undefined || !/^\d+$/.test(value) ? undefined : Number(value);

/** @param info The reply to INFO, or '' if it is refused. */
export const factsOf = (address: string, info: string): ServerInfo => {
  const field = (name: string): string | undefined => new RegExp(`^${name}:([^\\r\\n]+)`, 'm').exec(info)?.[1];
  const redisVersion = field('redis_version');
  const [kind, ownField] = OTHER_KINDS.find(([, name]) => field(name) !== undefined) ?? [
    field('executable')?.includes('keydb') ? 'KeyDB' : 'Redis',
    'redis_version',
  ];
  const role = field('role');
  const [host, port] = [field('master_host'), field('master_port')];
  const mode = field('redis_mode');
  return {
    address,
    kind,
    level: levelOf(redisVersion),
    version: field(ownField),
    runId: field('run_id'),
    isSentinel: mode === undefined ? undefined : mode === 'sentinel',
    isClusterNode: mode === undefined ? isOn(field('cluster_enabled')) : mode === 'cluster',
    role: role === undefined ? undefined : role === 'slave' ? 'replica' : 'master',
    master: role === 'slave' && host !== undefined ? `${host}:${port}` : undefined,
    memoryLimit: numberOf(field('maxmemory')),
    evictionPolicy: field('maxmemory_policy'),
    appendsToFile: isOn(field('aof_enabled')),
    replicas: numberOf(field('connected_slaves')),
  };
};

/** Server and names of a probe. */
interface ProbeTarget {
  readonly target: ServerTarget;
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
  /** Whether it tells those who listen to a key that it was deleted (`notify-keyspace-events`). */
  readonly tellsDeletions: boolean | undefined;
}

/**
 * Inspects one server, on connections that are closed afterwards.
 * @throws LockUnavailableError if it does not answer now.
 */
export const lookAtServer = async (place: ProbeTarget, use: IntendedUse, terms: ProbeTerms): Promise<ServerReport> => {
  const server = new ProbeConnection(place.target, 'commands', terms);
  const listener = new ProbeConnection(place.target, 'subscriber', terms);
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

type Told = ServerInfo & Pick<ServerReport, 'fsync' | 'untold' | 'lacks' | 'tellsDeletions'>;

const askFacts = async (server: ProbeConnection, address: string, { guardsRestarts }: IntendedUse): Promise<Told> => {
  const [info, notified] = await Promise.all([
    server.answer((connection) => connection.send(['INFO', 'default'])),
    askSetting(server, 'notify-keyspace-events'),
  ]);
  const facts = factsOf(address, 'reply' in info ? String(info.reply) : '');
  const refused = isForbidden(info) ? ['+info'] : [];
  return {
    ...facts,
    fsync: facts.appendsToFile ? await askSetting(server, 'appendfsync') : undefined,
    tellsDeletions: notified === undefined ? undefined : isOfDeletions(notified),
    // The restart guard asks for the server's identity with INFO, and needs the answer.
    lacks: { rules: guardsRestarts ? refused : [], commands: [] },
    untold: guardsRestarts ? [] : refused,
  };
};

/** Whether these classes of notifications go to the channels of keys (K), and include deletions (g, or A for all). */
const isOfDeletions = (classes: string): boolean => classes.includes('K') && /[gA]/.test(classes);

const askSetting = async (server: ProbeConnection, name: string): Promise<string | undefined> => {
  const answer = await server.answer((connection) => connection.send(['CONFIG', 'GET', name]));
  const pair: unknown = 'reply' in answer ? answer.reply : undefined;
  const [, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
  return typeof value === 'string' ? value : undefined;
};

const directCommands = ({ names }: ProbeTarget, use: IntendedUse): readonly DirectCommand[] => [
  ['+ping', (connection) => connection.send(['PING'])],
  ['+time', (connection) => connection.send(['TIME'])],
  ...when(use.database !== 0, ['+select', (connection) => connection.send(['SELECT', String(use.database)])]),
  ...when(use.replicaCommand === 'WAIT', ['+wait', (connection) => connection.send(['WAIT', '0', '0'])]),
  ...when(use.replicaCommand === 'WAITAOF', ['+waitaof', (connection) => connection.send(['WAITAOF', '0', '0', '0'])]),
  ...when(use.isCluster, ['+asking', (connection) => connection.send(['ASKING'])]),
  // The channel of a latch whose name has braces of its own is in another slot than the latch.
  ...when(use.isCluster, [
    '+publish',
    (connection) => connection.send(['PUBLISH', names.channel, '0']),
    names.channelRule,
  ]),
];

const when = (isUsed: boolean, command: DirectCommand): readonly DirectCommand[] => (isUsed ? [command] : []);
