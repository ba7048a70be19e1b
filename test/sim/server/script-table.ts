import {
  isReplyOf,
  type NamedArguments,
  type NamedKeys,
  type Script,
} from '../../../lib/backend/redis/scripts/script.js';

type AnyMeaning = (keys: unknown, args: unknown) => Promise<readonly unknown[]>;

/** The scripts that a simulated server knows. */
export class ScriptTable {
  private readonly meanings = new Map<string, AnyMeaning>();

  /** @param meaning The script, expressed by the memory backend. */
  define<Keys extends NamedKeys, Arguments extends NamedArguments, Reply extends readonly unknown[]>(
    script: Script<Keys, Arguments, Reply>,
    meaning: (keys: Keys, args: Arguments) => Promise<Reply>,
  ): void {
    // The type of the table cannot express that each meaning fits its script, which the compiler has checked here.
    this.meanings.set(script.name, meaning as AnyMeaning);
  }

  /** @throws Error for a script that is not known, and for a reply that the script itself would never give. */
  async execute(script: Script, keys: unknown, args: unknown): Promise<readonly unknown[]> {
    const meaning = this.meanings.get(script.name);
    if (!meaning) throw new Error(`The simulated server does not know the script ${script.name}`);
    const reply = await meaning(keys, args);
    if (!isReplyOf(script, reply)) throw new Error(`${script.name} never replies ${JSON.stringify(reply)}`);
    return reply;
  }
}
