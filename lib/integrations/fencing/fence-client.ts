import { isScriptMissing, unexpectedReply } from '../../backend/connection/reply-errors.js';
import type { scripts } from '../../backend/scripts/scripts.generated.js';
import {
  type ArgumentsOf,
  encode,
  isReplyOf,
  type KeysOf,
  type Script,
  scriptHash,
} from '../../backend/scripts/script.js';
import { wrongKeyType } from '../../errors.js';

/** The part of a client that fences need: of one server, or of a cluster. */
export interface FenceClient {
  readonly options: { readonly keyPrefix?: string | undefined };
  evalsha(sha: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
  eval(text: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>;
}

/**
 * Runs a script on a client of the user, with its deadlines and errors.
 * @returns The fence recorded now: the one given, or a later one, after which nothing was changed.
 * @throws LockKeyTypeError if a key has other data
 */
export const runFenceScript = async <S extends typeof scripts.fencing.advance | typeof scripts.fencing.set>(
  client: FenceClient,
  script: S,
  keys: KeysOf<S> & { readonly fence: string; readonly value?: string },
  args: ArgumentsOf<S>,
): Promise<bigint> => {
  const reply = await send(client, script, keys, args);
  if (!isReplyOf(script, reply)) throw unexpectedReply(reply);
  const [outcome, found] = reply;
  if (outcome === 'no-token') throw wrongKeyType(keys.fence, found);
  if (outcome === 'wrong-type') throw wrongKeyType(keys.value ?? keys.fence, found);
  return BigInt(found);
};

/** EVAL only if the server does not know the script: a user without +eval can have the scripts preloaded. */
const send = async <S extends Script>(
  client: FenceClient,
  script: S,
  keys: KeysOf<S>,
  args: ArgumentsOf<S>,
): Promise<unknown> => {
  const { keyCount, parameters } = encode(script, keys, args);
  try {
    return await client.evalsha(scriptHash(script.text), keyCount, ...parameters);
  } catch (error) {
    if (!isScriptMissing(error)) throw error;
    return client.eval(script.text, keyCount, ...parameters);
  }
};
