import ts from 'typescript';
import type { Mutation } from './mutation.js';

const SWAPPED: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
]);

const isBoolean = ({ kind }: ts.Node): boolean =>
  kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;

/** The possible changes of a file: conditions, operators, answers, and statements that are left out. */
export const typescriptMutations = (file: string, source: string): readonly Mutation[] => {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (kind: string, replaced: ts.Node, text: string, probed: ts.Node = replaced): void => {
    const [start, end] = [replaced.getStart(tree), replaced.end];
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, line, kind, start, end, text, probe: [probed.getStart(tree), probed.end] });
  };
  const negate = (condition: ts.Expression): void => {
    // A negation and an operator are changed as such.
    if (ts.isPrefixUnaryExpression(condition) || ts.isBinaryExpression(condition)) return;
    add('condition', condition, `!(${condition.getText(tree)})`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isBinaryExpression(node)) {
      const text = SWAPPED.get(node.operatorToken.kind);
      if (text !== undefined) add('operator', node.operatorToken, text, node);
    } else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
      add('condition', node, `!!(${node.operand.getText(tree)})`);
    } else if (ts.isIfStatement(node)) {
      negate(node.expression);
    } else if (ts.isConditionalExpression(node)) {
      negate(node.condition);
    } else if (ts.isReturnStatement(node)) {
      const { expression } = node;
      if (!expression) add('return', node, '{}', node);
      else if (isBoolean(expression)) add('return', expression, `!${expression.getText(tree)}`);
    } else if (ts.isExpressionStatement(node)) {
      const isSuper =
        ts.isCallExpression(node.expression) && node.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
      if (!isSuper) add('statement', node.expression, 'void 0');
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
};

/**
 * The file with a call of `globalThis.reached` wherever a mutation could be, so that a run tells which mutations it
 * reaches. `return;` has no expression, so it is given one.
 */
export const probed = (
  source: string,
  mutations: readonly Mutation[],
  idOf: (mutation: Mutation) => string,
): string => {
  const ranges = new Map<string, readonly [start: number, end: number]>();
  for (const mutation of mutations) if (mutation.probe) ranges.set(idOf(mutation), mutation.probe);
  const insertions: { readonly at: number; readonly order: number; readonly text: string }[] = [];
  for (const [id, [start, end]] of ranges) {
    const call = `(globalThis as any).reached?.('${id}')`;
    if (source.slice(start, end) === 'return;') {
      insertions.push({ at: end - 1, order: 0, text: ` void ${call}` });
      continue;
    }
    // An outer expression opens before an inner one, and what ends somewhere closes before what begins there.
    insertions.push({ at: start, order: -(end - start), text: `(${call}, ` });
    insertions.push({ at: end, order: Number.NEGATIVE_INFINITY, text: ')' });
  }
  insertions.sort((one, other) => one.at - other.at || one.order - other.order || 0);
  let text = '';
  let from = 0;
  for (const { at, text: inserted } of insertions) {
    text += source.slice(from, at) + inserted;
    from = at;
  }
  return text + source.slice(from);
};
