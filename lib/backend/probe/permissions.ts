import type { RedisConnection } from '../connection/redis-connection.js';
import type { PublishCommand } from '../commands/script-executor.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import { encode, isReplyOf, scriptHash } from '../scripts/script.js';
import { scripts } from '../scripts/scripts.generated.js';
import { lockScripts } from '../scripts/all-scripts.js';
import type { ProbeNames } from './probe-names.js';
import { isDenied, isForbidden, isUnknown, type ProbeConnection } from './probe-connection.js';
import { deniedKeys, type DirectRights, tryDirectly } from './direct-rights.js';

/** Permissions and commands that are needed and missing. */
export interface MissingPermissions {
  /** Missing permissions, as the ACL rules that grant them: `+hget`, `~redisson_*`. */
  readonly rules: readonly string[];
  /**
   * Those of them for names that could not be tried, because the user lacks every command to try them with. They are
   * named at once with these commands, and not when those have been granted.
   */
  readonly untried?: readonly string[];
  /** Commands that the server does not have, or not under their name. */
  readonly commands: readonly string[];
}

/** Permissions of scripts on a server. */
export interface ScriptPermissions extends MissingPermissions {
  /** Whether this user may use the names of the probe. If not, its permissions for other names are unknown. */
  readonly isNameAllowed: boolean;
  /** Scripts that the server does not know and that this user may not send. */
  readonly scriptsToLoad: readonly string[];
  /** Whether writes were refused because the server is a replica. */
  readonly isReplica: boolean;
  /** The first word of the refusal if writes are refused for now, as `NOREPLICAS`. */
  readonly refusesWrites: string | undefined;
}

/** A command that is used beside scripts, by its ACL rule, with arguments that change nothing. */
export type DirectCommand = readonly [
  rule: string,
  command: (connection: RedisConnection) => Promise<unknown>,
  /** The ACL rule for the channel that it uses. */
  channelRule?: string | undefined,
];

/** `+cluster|slots` is CLUSTER SLOTS. */
const commandOf = (rule: string): string => rule.slice(1).replace('|', ' ').toUpperCase();

/** The union of all of them, without duplicates. */
export const together = (lacks: readonly MissingPermissions[]): MissingPermissions => ({
  rules: [...new Set(lacks.flatMap(({ rules }) => rules))],
  untried: [...new Set(lacks.flatMap(({ untried = [] }) => untried))],
  commands: [...new Set(lacks.flatMap(({ commands }) => commands))],
});

export const tryCommands = async (
  server: ProbeConnection,
  commands: readonly DirectCommand[],
): Promise<MissingPermissions> =>
  together(
    await Promise.all(
      commands.map(async ([rule, command, channelRule]) => {
        const answer = await server.answer(command);
        const rules = [
          ...(isForbidden(answer) ? [rule] : []),
          ...(isDenied(answer) && channelRule !== undefined ? [channelRule] : []),
        ];
        return { rules, commands: isUnknown(answer) ? [commandOf(rule)] : [] };
      }),
    ),
  );

/** Finds out by a script what scripts may do. The script publishes messages to the channels of the probe. */
export const tryScripts = async (
  server: ProbeConnection,
  names: ProbeNames,
  publish: PublishCommand,
): Promise<ScriptPermissions> => {
  const script = scripts.probe.rights;
  const { lock, keys, channels } = names;
  const named = [...keys.keys(), ...channels.keys()];
  const { parameters: args } = encode(script, {}, { lock, publish, keyCount: keys.size, names: named });
  const [known, sent] = await Promise.all([
    server.answer((connection) => connection.send(['EVALSHA', scriptHash(script.text), '0', ...args])),
    server.answer((connection) => connection.send(['EVAL', script.text, '0', ...args])),
  ]);
  const rules = isForbidden(known) ? ['+evalsha'] : [];
  const scriptsToLoad = isForbidden(sent) && !isForbidden(known) ? await unknownScripts(server) : [];
  if (isForbidden(sent) && (isForbidden(known) || scriptsToLoad.length > 0)) rules.push('+eval');
  const commands = [...(isUnknown(known) ? ['EVALSHA'] : []), ...(isUnknown(sent) ? ['EVAL'] : [])];
  const forbidden = [...(isForbidden(known) ? ['EVALSHA'] : []), ...(isForbidden(sent) ? ['EVAL'] : [])];
  const answer = 'reply' in known ? known : sent;
  if (!('reply' in answer)) {
    const { refused, isReplica, untried } =
      forbidden.length > 0 ? await tryDirectly(server, names, publish, forbidden) : NOTHING;
    const { isNameAllowed, ...lacked } = lacksIn(refused, names, rules, commands);
    const lacks = together([lacked, { rules: untried, untried, commands: [] }]);
    return { ...lacks, isNameAllowed, scriptsToLoad, isReplica, refusesWrites: undefined };
  }
  if (!isReplyOf(script, answer.reply)) throw unexpectedReply(answer.reply);
  const [role, ...said] = answer.reply;
  // The script tests names with EXISTS.
  const denied = said.includes('command EXISTS') ? await deniedKeys(server, names, forbidden) : [];
  const refused = [...said, ...(denied ?? []).map((key) => `key ${key}`)];
  const [refusesWrites] = ofWord(refused, 'write');
  return { ...lacksIn(refused, names, rules, commands), scriptsToLoad, isReplica: role === 'replica', refusesWrites };
};

const NOTHING: DirectRights = { refused: [], isReplica: false, untried: [] };

const ofWord = (refused: readonly string[], word: string): readonly string[] =>
  refused.filter((text) => text.startsWith(`${word} `)).map((text) => text.slice(word.length + 1));

const lacksIn = (
  refused: readonly string[],
  { lock, keys, channels }: ProbeNames,
  rules: readonly string[],
  commands: readonly string[],
): MissingPermissions & { readonly isNameAllowed: boolean } => {
  const of = (word: string): readonly string[] => ofWord(refused, word);
  const isNameAllowed = !of('key').includes(lock);
  const names = [...of('key').map((key) => keys.get(key)), ...of('channel').map((channel) => channels.get(channel))];
  const forbidden = of('command').map((command) => `+${command.toLowerCase()}`);
  // A user with permissions for certain other names does not need these.
  const patterns = isNameAllowed ? names.filter((rule) => rule !== undefined) : [];
  return {
    ...together([
      { rules, commands },
      { rules: [...forbidden, ...patterns], commands: of('unknown') },
    ]),
    isNameAllowed,
  };
};

/** Without keys and arguments no script does anything. */
const unknownScripts = async (server: ProbeConnection): Promise<readonly string[]> => {
  const answers = await Promise.all(
    lockScripts.map(({ text }) => server.answer((connection) => connection.send(['EVALSHA', scriptHash(text), '0']))),
  );
  const isMissing = (index: number): boolean => {
    const answer = answers[index];
    return answer !== undefined && 'refusal' in answer && answer.refusal.includes('NOSCRIPT');
  };
  return lockScripts.filter((_, index) => isMissing(index)).map(({ name }) => name);
};
