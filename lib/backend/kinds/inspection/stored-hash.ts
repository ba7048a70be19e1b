import { unexpectedReply } from '../../connection/reply-errors.js';
import type { StoredHolder, StoredState } from './inspection-operations.js';

type JsonObject = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

/** The result of a script of this folder, as JSON. Lua writes an empty list as `{}`. */
export class FoundReply {
  private constructor(private readonly fields: JsonObject) {}

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

type Held = Pick<StoredState, 'shape' | 'holders' | 'holderCount' | 'problem'>;

/** The fields of a hash, with their values. */
type Fields = ReadonlyMap<string, string>;

const OWNER = /.:-?\d+(:[\da-f]+)?$/i;
const COUNT = /^\d{1,15}$/;
const EXPIRY = ':expire_time';

const isOwner = (text: string): boolean => OWNER.test(text);

/** `undefined` for a text that is no hold count. */
const countIn = (text: string): number | undefined => (COUNT.test(text) ? Number(text) : undefined);

const foreign = (problem: string): Held => ({ shape: 'foreign', holders: [], holderCount: 0, problem });

const fieldsOf = (found: FoundReply): Fields => {
  const list = found.texts('fields');
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < list.length; at += 2) fields.set(list[at] ?? '', list[at + 1] ?? '');
  return fields;
};

const withRecord = (found: FoundReply, holder: StoredHolder): StoredHolder => {
  const record = found.part('records').text(holder.owner);
  return record === undefined ? holder : { ...holder, record };
};

const exclusive = (found: FoundReply, fields: Fields): Held => {
  const [[owner = '', text = ''] = []] = fields;
  const count = isOwner(owner) ? countIn(text) : undefined;
  if (count === undefined) return foreign('the key is a hash that is no lock');
  const holder = withRecord(found, { owner, mode: 'exclusive', count, remaining: found.number('ttl') });
  return { shape: 'exclusive', holders: [holder], holderCount: 1 };
};

/** Fields of a read-write lock: `mode`, an owner with its reads, and `<owner>:write` with the holds of the writer. */
const readWrite = (found: FoundReply, fields: Fields, mode: 'read' | 'write'): Held => {
  let others = 0;
  const holders: StoredHolder[] = [];
  for (const [field, text] of fields) {
    if (field === 'mode') continue;
    const reads = isOwner(field);
    const owner = reads ? field : field.replace(':write', '');
    const count = isOwner(owner) ? countIn(text) : undefined;
    if (count === undefined) {
      others += 1;
      continue;
    }
    const remaining = reads ? Math.max(0, found.part('reads').number(owner)) : found.number('ttl');
    holders.push(withRecord(found, { owner, mode: reads ? 'read' : 'write', count, remaining }));
  }
  if (holders.length === 0) return foreign('the key is a hash that is no lock');
  const size = found.number('size');
  const holderCount = size > fields.size ? size - 1 : holders.length;
  const problem = `${others} field(s) of the hash are no holders`;
  return { shape: mode, holders, holderCount, ...(others > 0 && { problem }) };
};

/** Fields of a group: a value's field with its owner, and `<field>:<owner>:expire_time` and `:lock_count`. */
const group = (found: FoundReply, fields: Fields, now: number): Held => {
  const byOwner = new Map<string, StoredHolder & { readonly fields: readonly string[] }>();
  for (const [name, text] of fields) {
    if (!name.endsWith(EXPIRY)) continue;
    const [field = ''] = name.split(':', 1);
    const owner = name.slice(field.length + 1, -EXPIRY.length);
    const remaining = Math.ceil(Number(text) - now);
    if (fields.get(field) !== owner || !(remaining >= 0)) continue;
    const before = byOwner.get(owner);
    const count = countIn(fields.get(`${field}:${owner}:lock_count`) ?? '') ?? 0;
    byOwner.set(owner, {
      owner,
      mode: 'exclusive',
      count: before ? Math.min(before.count, count) : count,
      remaining: before ? Math.min(before.remaining, remaining) : remaining,
      fields: [...(before?.fields ?? []), field].sort(),
    });
  }
  const holders = [...byOwner.values()].map((holder) => withRecord(found, holder));
  const size = found.number('size');
  const holderCount = size > fields.size ? Math.floor(size / 3) : holders.length;
  return { shape: holders.length > 0 ? 'group' : 'none', holders, holderCount };
};

/** The holders in the hash of a lock of any kind, as `scripts/inspection/lock.lua` has found it. */
export const heldIn = (found: FoundReply, now: number): Held => {
  const type = found.text('type') ?? 'none';
  if (type === 'none') return { shape: 'none', holders: [], holderCount: 0 };
  if (type !== 'hash') return foreign(`the key is a ${type}`);
  if (!found.is('isLock')) return foreign('the key is a hash that is no lock');
  const fields = fieldsOf(found);
  const mode = found.text('mode');
  if (mode === 'read' || mode === 'write') return readWrite(found, fields, mode);
  return found.number('size') === 1 ? exclusive(found, fields) : group(found, fields, now);
};
