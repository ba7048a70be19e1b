import type { NamedArguments, NamedKeys, Script } from '../../../lib/backend/redis/scripts/script.js';

type AnyMeaning = (keys: unknown, args: unknown) => Promise<readonly unknown[]>;

/** The scripts that a simulated server knows. */
export class ScriptTable {
  private readonly meanings = new Map<string, AnyMeaning>();

  /** @param meaning What the script does, said with the memory backend. */
  define<Keys extends NamedKeys, Arguments extends NamedArguments, Reply extends readonly unknown[]>(
    script: Script<Keys, Arguments, Reply>,
    meaning: (keys: Keys, args: Arguments) => Promise<NoInfer<Reply>>,
  ): void {
    // The compiler has checked each against its own script; a table of all of them cannot say that.
    this.meanings.set(script.name, meaning as AnyMeaning);
  }

  execute(script: Script, keys: unknown, args: unknown): Promise<readonly unknown[]> {
    const meaning = this.meanings.get(script.name);
    if (!meaning) throw new Error(`The simulated server does not know the script ${script.name}`);
    return meaning(keys, args);
  }
}
