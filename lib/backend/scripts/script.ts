import { createHash } from 'node:crypto';

/** The keys of a script under the names its header declares: one key each, or all keys under one name. */
export type NamedKeys = Readonly<Record<string, string | readonly string[]>>;

/** The arguments of a script by name; a list takes all remaining arguments and comes last. */
type NamedArguments = Readonly<Record<string, string | number | readonly (string | number)[]>>;

/**
 * Type of one element of a reply: a number, the server's time, any text, or one of these texts. With `rest`: the type
 * of all remaining elements.
 */
interface ReplyPlace {
  readonly holds: 'number' | 'time' | 'string' | readonly string[];
  readonly rest?: boolean;
}

/** A reply of one word, or what a tuple is made of. */
type ReplyShape = string | readonly ReplyPlace[];
/** The answer of a script: one word, or a tuple. */
export type ScriptReply = string | readonly unknown[];

declare const signature: unique symbol;

/** One script as its `.lua` file declares it. */
export interface Script<
  Keys extends NamedKeys = NamedKeys,
  Arguments extends NamedArguments = NamedArguments,
  Answer extends ScriptReply = ScriptReply,
> {
  /** Folder and file without extension: `lock/acquire`. */
  readonly name: string;
  readonly text: string;
  /** Whether the script grants something new, which a server that may have forgotten earlier grants must not do. */
  readonly grants?: boolean;
  /** In the order of `KEYS`. */
  readonly keyNames: readonly string[];
  /** In the order of `ARGV`. */
  readonly argumentNames: readonly string[];
  /** The shapes that a reply may have. */
  readonly replies: readonly ReplyShape[];
  /** For the compiler only: absent at run time. */
  readonly [signature]?: { readonly keys: Keys; readonly arguments: Arguments; readonly reply: Answer };
}

type SignatureOf<S extends Script> = NonNullable<S[typeof signature]>;
export type KeysOf<S extends Script> = SignatureOf<S>['keys'];
export type ArgumentsOf<S extends Script> = SignatureOf<S>['arguments'];
export type ReplyOf<S extends Script> = SignatureOf<S>['reply'];

/** Gives a script's text the types of its header; called by the generated file alone. */
export function script<Keys extends NamedKeys, Arguments extends NamedArguments, Answer extends ScriptReply>(
  definition: Script<Keys, Arguments, Answer>,
): Script<Keys, Arguments, Answer> {
  return definition;
}

/** Puts named keys and arguments in the positions at which the script reads them, keys first. */
export function encode<S extends Script>(
  { name, keyNames, argumentNames }: S,
  keys: KeysOf<S>,
  args: ArgumentsOf<S>,
): { keyCount: number; parameters: string[] } {
  const parameters: string[] = [];
  appendInOrder(parameters, name, keyNames, keys);
  const keyCount = parameters.length;
  appendInOrder(parameters, name, argumentNames, args);
  return { keyCount, parameters };
}

/** Whether a server's answer is a reply of this script. */
export function isReplyOf<S extends Script>(asked: S, answer: unknown): answer is ReplyOf<S> {
  return shapeOf(asked, answer) !== undefined;
}

/** The shape of a server's answer; `undefined`: it is no reply of this script. */
export function shapeOf({ replies }: Script, answer: unknown): ReplyShape | undefined {
  for (const shape of replies) if (typeof shape === 'string' ? answer === shape : hasShape(shape, answer)) return shape;
  return undefined;
}

/** The server's time in a reply of this shape, ms; `undefined` if the shape has none. */
export function timeIn(shape: ReplyShape, reply: ScriptReply): number | undefined {
  if (typeof shape === 'string') return undefined;
  for (let index = 0; index < shape.length; index++) if (shape[index]?.holds === 'time') return Number(reply[index]);
  return undefined;
}

function hasShape(places: readonly ReplyPlace[], answer: unknown): boolean {
  if (!Array.isArray(answer)) return false;
  const values: readonly unknown[] = answer;
  const last = places[places.length - 1];
  if (last?.rest ? values.length < places.length - 1 : values.length !== places.length) return false;
  for (let index = 0; index < values.length; index++) {
    if (!isOf((places[index] ?? last)?.holds, values[index])) return false;
  }
  return true;
}

function isOf(holds: ReplyPlace['holds'] | undefined, value: unknown): boolean {
  // A larger number has lost precision in parsing.
  if (holds === 'number' || holds === 'time') return Number.isSafeInteger(value);
  return typeof value === 'string' && (holds === 'string' || (holds?.includes(value) ?? false));
}

function appendInOrder(list: string[], scriptName: string, names: readonly string[], values: NamedArguments): void {
  for (const name of names) {
    const value = values[name];
    if (value === undefined) throw new TypeError(`Script ${scriptName} needs '${name}', which was not given`);
    // Most are strings already.
    if (typeof value === 'string') list.push(value);
    else if (typeof value === 'number') list.push(toText(scriptName, name, value));
    else for (const item of value) list.push(toText(scriptName, name, item));
  }
}

function toText(scriptName: string, name: string, value: string | number): string {
  // Lua parses 'Infinity' and 'NaN' as numbers, and no script is written for them.
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError(`Script ${scriptName} was given ${value} for '${name}'`);
  }
  return String(value);
}

const hashes = new Map<string, string>();

/** The SHA-1 by which EVALSHA identifies a script. */
export const scriptHash = (text: string): string => {
  let hash = hashes.get(text);
  if (hash === undefined) {
    hash = createHash('sha1').update(text).digest('hex');
    hashes.set(text, hash);
  }
  return hash;
};
