import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const A1 = '11111111-1111-1111-1111-111111111111:1';
export const A2 = '11111111-1111-1111-1111-111111111111:2';
export const B7 = '22222222-2222-2222-2222-222222222222:7';
export const C9 = '33333333-3333-3333-3333-333333333333:9';

const CONSTANTS: Readonly<Record<string, string>> = {
  A1,
  A2,
  B7,
  C9,
  P1: '00000000000000000000000000000001',
  P2: 'aabbccddeeff00112233445566778899',
  P3: 'ffffffffffffffffffffffffffffffff',
};

/** A value in the spelling of a vector: exact, or an inclusive range, or an instant such as `NOW+5000`. */
export type Spelled = string | number | readonly [string | number, string | number];

export interface ExpectedKey {
  readonly type: string;
  readonly value: string | readonly string[] | Readonly<Record<string, Spelled>>;
  readonly ttl: 'none' | readonly [number, number];
  readonly optional?: boolean;
}

/** A payload is a text, or an inclusive range of numbers. */
export type Message = readonly [channel: string, payload: string | readonly [least: number, most: number]];

export interface Vector {
  readonly id: string;
  readonly title: string;
  /** Redis commands, with blanks between their arguments. */
  readonly setup: readonly string[];
  /** One operation in Redisson's terms, with its arguments. */
  readonly op: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly returns: unknown;
  /** All keys afterwards. */
  readonly state: Readonly<Record<string, ExpectedKey>>;
  readonly messages: readonly Message[];
  readonly messagesOptional?: boolean;
}

/** All 109 vectors. */
export const allVectors = parse(readFileSync(join(__dirname, 'vectors.yaml'), 'utf8')) as readonly Vector[];

/** The value of `NOW`, `NOW+5000` or `NOW-10`, ms. */
export const instant = (text: string, now: number): number | undefined => {
  const [, sign = '+', ms = '0'] = /^NOW(?:([+-])(\d+))?$/.exec(text) ?? [];
  if (!text.startsWith('NOW')) return undefined;
  return sign === '-' ? now - Number(ms) : now + Number(ms);
};

const substituteText = (text: string, now: number): string =>
  text.replace(/\$\{([^}]+)\}/g, (_, name: string) => CONSTANTS[name] ?? String(instant(name, now)));

/** Replaces `${…}` by values, in keys as well. A text that is only an instant becomes a number. */
export const substitute = <T>(value: T, now: number): T => {
  const replaced = (part: unknown): unknown => {
    if (typeof part === 'string') {
      const text = substituteText(part, now);
      return /^\$\{NOW[^}]*\}$/.test(part) ? Number(text) : text;
    }
    if (Array.isArray(part)) return part.map(replaced);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [substituteText(key, now), replaced(inner)]));
  };
  return replaced(value) as T;
};
