import { LockNameError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';
import {
  type Encoder,
  encoderBetween,
  foreignPlaceholder,
  isOfProgram,
  KEY_PART_RULE,
  type KeyPart,
  textOf,
} from './key-encoding.js';
import { spellingFault } from './lock-name.js';

/** The literal text of a tag in the source, checked once. */
interface TagText {
  readonly literals: readonly string[];
  readonly encode: Encoder;
}

/** By the list of literals, which the language makes once for each place in the source. */
const checked = new WeakMap<TemplateStringsArray, TagText>();

/**
 * Makes a lock name from values, for names by hand, in key functions and in `lockHandler`. Values are encoded as in the
 * key templates of `@Locked`: `` lockName`cart:${id}` `` is the name of `@Locked('cart:<0>')` for the argument `id`.
 *
 * @throws LockNameError for `undefined`, `null`, `NaN`, objects, and for all other values that cannot be part of a name;
 *   and for literal text that is not valid in a name, or that does not separate two values
 *
 * @example
 * await locks.withLock(lockName`cart:${tenant}:${cart.id}`, () => checkOut(cart));
 */
export function lockName(literals: TemplateStringsArray, ...values: readonly KeyPart[]): string {
  const { literals: texts, encode } = checked.get(literals) ?? check(literals);
  let name = texts[0] ?? '';
  for (let index = 0; index < values.length; index++) {
    const part = textOf(values[index]);
    if (part === undefined) throw unusable(texts, index, values[index]);
    name += encode(part) + (texts[index + 1] ?? '');
  }
  return name;
}

function check(literals: TemplateStringsArray): TagText {
  const texts: readonly unknown[] | undefined = isTagged(literals) ? literals : undefined;
  if (!texts) {
    throw new LockNameError(
      `lockName is a template tag: write lockName\`cart:\${id}\`, not lockName(${formatValue(literals)})`,
    );
  }
  if (!texts.every((text) => typeof text === 'string')) {
    throw new LockNameError(
      `The literal text of lockName has an invalid escape sequence: ${formatValue(literals.raw)}`,
    );
  }
  const encode = encoderBetween(texts.slice(1, -1), (found) =>
    tagError(texts, `has ${found} between two values; put a separator such as ":" there`),
  );
  const foreign = foreignPlaceholder(texts.join('<>'), 'write ${value}');
  if (foreign) throw tagError(texts, foreign.fault);
  // Encoded values contain neither braces nor lone surrogates, so one sample represents all names.
  const fault = texts.join('') === '' && texts.length === 1 ? 'is empty' : spellingFault(texts.join('0'));
  if (fault !== undefined) throw tagError(texts, fault);
  const text = { literals: texts, encode };
  checked.set(literals, text);
  return text;
}

const isTagged = (literals: unknown): boolean =>
  Array.isArray(literals) && 'raw' in literals && Array.isArray(literals.raw);

function unusable(literals: readonly string[], index: number, value: unknown): LockNameError {
  const found = formatValue(value);
  const ofProgram = isOfProgram(value);
  const remedy = ofProgram ? '; make text of it' : '';
  return tagError(literals, `needs ${KEY_PART_RULE} for \${${index}}, but it is ${found}${remedy}`, {
    placeholder: `\${${index}}`,
    found,
    ofProgram,
  });
}

/** Shows the values by their index, which is all that is known of them: ``lockName`cart:${0}` ``. */
function tagError(
  literals: readonly string[],
  fault: string,
  details: Readonly<Record<string, unknown>> = {},
): LockNameError {
  const [first = '', ...others] = literals;
  const template = first + others.map((literal, index) => `\${${index}}${literal}`).join('');
  return new LockNameError(`The name lockName${quoted(template)} ${fault}`, { template, details });
}

/** In backquotes, with everything escaped that could end a line of a log. */
const quoted = (template: string): string => `\`${formatValue(template).slice(1, -1)}\``;
