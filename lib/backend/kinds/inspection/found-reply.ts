import { unexpectedReply } from '../../connection/reply-errors.js';

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** What a script of `scripts/inspection` has found, which it returns as JSON. Lua writes an empty list as `{}`. */
export class FoundReply {
  private constructor(private readonly fields: Fields) {}

  /** @throws LockUnavailableError for a text that is no reply of such a script. */
  static parse(text: string): FoundReply {
    let fields: unknown;
    try {
      fields = JSON.parse(text);
    } catch {
      throw unexpectedReply(text);
    }
    if (!isObject(fields)) throw unexpectedReply(text);
    return new FoundReply(fields);
  }

  /** `undefined`: there is none. */
  text(name: string): string | undefined {
    const value = this.fields[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** 0 if there is none. */
  number(name: string): number {
    const value = this.fields[name];
    return typeof value === 'number' ? value : 0;
  }

  is(name: string): boolean {
    return this.fields[name] === true;
  }

  texts(name: string): readonly string[] {
    return this.list(name).map(String);
  }

  numbers(name: string): readonly number[] {
    return this.list(name).map(Number);
  }

  /** The part under a name; without fields if there is none. */
  part(name: string): FoundReply {
    const value = this.fields[name];
    return new FoundReply(isObject(value) ? value : {});
  }

  private list(name: string): readonly unknown[] {
    const value = this.fields[name];
    return Array.isArray(value) ? value : [];
  }
}
