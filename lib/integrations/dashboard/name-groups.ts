/** The texts between the placeholders of a template: `order:<0>:items` → `order:`, `:items`. */
const literalsOf = (template: string): readonly string[] => template.split(/<[^<>]*>/);

/** Whether a name can come from a template of these texts. Linear in the length of the name. */
const fits = (name: string, literals: readonly string[]): boolean => {
  const first = literals[0] ?? '';
  const last = literals.at(-1) ?? '';
  if (literals.length === 1) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const literal of literals.slice(1, -1)) {
    // A value has one character at least.
    const found = name.indexOf(literal, at + 1);
    if (found === -1) return false;
    at = found + literal.length;
  }
  return name.endsWith(last) && name.length - last.length > at;
};

const MOST_TEMPLATES = 200;

/** Longer names have their end cut off in a title. */
const LONGEST_TITLE = 80;

/** Groups names by the templates that this process has seen, and other names by what they have in common. */
export class NameGroups {
  private readonly templates = new Map<string, readonly string[]>();

  /** @param prefix Prefix of all keys, which is not part of a name. */
  constructor(private readonly prefix: string) {}

  /** Remembers a template. The first 200 are kept: they are written in code, so there are few. */
  learn(template: string): void {
    if (this.templates.size >= MOST_TEMPLATES || this.templates.has(template)) return;
    this.templates.set(template, literalsOf(template));
  }

  /** The name of a key. */
  nameOf(key: string): string {
    return key.startsWith(this.prefix) ? key.slice(this.prefix.length) : key;
  }

  /** The title of the group of a name: the template with most text that fits, or `order:…`. */
  titleOf(name: string): string {
    let best: string | undefined;
    let most = -1;
    for (const [template, literals] of this.templates) {
      const text = literals.join('').length;
      if (text > most && fits(name, literals)) [best, most] = [template, text];
    }
    return best ?? commonPart(name);
  }
}

/** A tick of `@LockedCron`, with its planned time. */
const TICK = /@\d{4}-\d\d-\d\dT[\d:.]{12}Z$/;

/** `order:42:items` → `order:…:items`, `orders:berlin` → `orders:…`, `nightly@2026-11-24T02:00:00.000Z` → `nightly@<tick>`. */
const commonPart = (name: string): string => {
  if (TICK.test(name)) return name.replace(TICK, '@<tick>');
  const parts = name.split(':', 8);
  const hasNumbers = parts.some((part) => /\d/.test(part));
  const isValue = (part: string, index: number): boolean =>
    hasNumbers ? /\d/.test(part) : index > 0 && index === parts.length - 1;
  const title = parts.map((part, index) => (isValue(part, index) && parts.length > 1 ? '…' : part)).join(':');
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE)}…` : title;
};
