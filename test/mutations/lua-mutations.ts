import type { Mutation } from './mutation.js';

/** Changes within a line of Lua. The groups before and after the changed text stay. */
const CHANGES: readonly (readonly [kind: string, pattern: RegExp, text: string])[] = [
  ['operator', / and /g, ' or '],
  ['operator', / or /g, ' and '],
  ['operator', / == /g, ' ~= '],
  ['operator', / ~= /g, ' == '],
  ['operator', / < /g, ' <= '],
  ['operator', / <= /g, ' < '],
  ['operator', / > /g, ' >= '],
  ['operator', / >= /g, ' > '],
  ['operator', / \+ /g, ' - '],
  ['operator', / - /g, ' + '],
  ['condition', /\bnot /g, 'not not '],
  ['return', /(?<=return )true\b/g, 'false'],
  ['return', /(?<=return )false\b/g, 'true'],
];

/** A command as a statement, or the assignment of a variable that exists. */
const STATEMENT = /^\s*((?:redis\.p?call\(.*\))|(?:[a-z]\w*(?:\[[^\]]+\])? = .+))$/;

const isBalanced = (text: string): boolean => text.split('(').length === text.split(')').length;

/** The possible changes of a file, line by line. */
export const luaMutations = (file: string, source: string): readonly Mutation[] => {
  const found: Mutation[] = [];
  let offset = 0;
  for (const [index, line] of source.split('\n').entries()) {
    const at = offset;
    offset += line.length + 1;
    if (line.trimStart().startsWith('--')) continue;
    const add = (kind: string, start: number, length: number, text: string): void =>
      void found.push({ file, line: index + 1, kind, start: at + start, end: at + start + length, text });
    for (const [kind, pattern, text] of CHANGES)
      for (const match of line.matchAll(pattern)) add(kind, match.index, match[0].length, text);
    const statement = STATEMENT.exec(line)?.[1];
    if (statement !== undefined && isBalanced(statement))
      add('statement', line.length - line.trimStart().length, statement.length, '');
  }
  return found;
};
