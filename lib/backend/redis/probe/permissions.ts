import type { RedisClient } from '../connection/redis-client.js';
import type { PublishCommand } from '../commands/script-executor.js';
import { unexpectedReply } from '../connection/reply-errors.js';
import { encode, isReplyOf, scriptHash } from '../scripts/script.js';
import { scripts } from '../scripts/scripts.generated.js';
import { lockScripts } from '../scripts/all-scripts.js';
import type { ProbeNames } from './probe-names.js';
import { isForbidden, isUnknown, type ProbeConnection } from './probe-connection.js';

/** Permissions and commands that are needed and missing. */
export interface MissingPermissions {
  /** Missing permissions, as the ACL rules that grant them: `+hget`, `~redisson_*`. */
  readonly rules: readonly string[];
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
}

/** A command that is used beside scripts, by its ACL rule, with arguments that change nothing. */
export type DirectCommand = readonly [rule: string, command: (client: RedisClient) => Promise<unknown>];

/** `+cluster|slots` is CLUSTER SLOTS. */
const commandOf = (rule: string): string => rule.slice(1).replace('|', ' ').toUpperCase();

/** The union of all of them, without duplicates. */
export const together = (lacks: readonly MissingPermissions[]): MissingPermissions => ({
  rules: [...new Set(lacks.flatMap(({ rules }) => rules))],
  commands: [...new Set(lacks.flatMap(({ commands }) => commands))],
});

export const tryCommands = async (
  server: ProbeConnection,
  commands: readonly DirectCommand[],
): Promise<MissingPermissions> =>
  together(
    await Promise.all(
      commands.map(async ([rule, command]) => {
        const answer = await server.answer(command);
        return { rules: isForbidden(answer) ? [rule] : [], commands: isUnknown(answer) ? [commandOf(rule)] : [] };
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
    server.answer((client) => client.evalsha(scriptHash(script.text), 0, ...args)),
    server.answer((client) => client.eval(script.text, 0, ...args)),
  ]);
  const rules = isForbidden(known) ? ['+evalsha'] : [];
  const scriptsToLoad = isForbidden(sent) && !isForbidden(known) ? await unknownScripts(server) : [];
  if (isForbidden(sent) && (isForbidden(known) || scriptsToLoad.length > 0)) rules.push('+eval');
  const commands = [...(isUnknown(known) ? ['EVALSHA'] : []), ...(isUnknown(sent) ? ['EVAL'] : [])];
  const answer = 'reply' in known ? known : sent;
  if (!('reply' in answer)) return { rules, commands, isNameAllowed: true, scriptsToLoad, isReplica: false };
  if (!isReplyOf(script, answer.reply)) throw unexpectedReply(answer.reply);
  const [role, ...refused] = answer.reply;
  return { ...lacksIn(refused, names, rules, commands), scriptsToLoad, isReplica: role === 'replica' };
};

const lacksIn = (
  refused: readonly string[],
  { lock, keys, channels }: ProbeNames,
  rules: readonly string[],
  commands: readonly string[],
): MissingPermissions & { readonly isNameAllowed: boolean } => {
  const of = (word: string): readonly string[] =>
    refused.filter((text) => text.startsWith(`${word} `)).map((text) => text.slice(word.length + 1));
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
    lockScripts.map(({ text }) => server.answer((client) => client.evalsha(scriptHash(text), 0))),
  );
  const isMissing = (index: number): boolean => {
    const answer = answers[index];
    return answer !== undefined && 'refusal' in answer && answer.refusal.includes('NOSCRIPT');
  };
  return lockScripts.filter((_, index) => isMissing(index)).map(({ name }) => name);
};
