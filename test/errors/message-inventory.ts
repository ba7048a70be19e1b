import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';

const LIB = resolve(__dirname, '../../lib');

/**
 * Whether a text belongs to a sentence: it has two words side by side, or a word beside a value. Names, separators and
 * tags do not.
 */
const isProse = (text: string): boolean =>
  /[a-z…"')\]>]{2,}[,;:.]? [a-z…"'(<@]{2,}|… [a-z]{2,}|[a-z]{2,} …/i.test(text);

/** Whether a text belongs to the language rather than to a message: an import, a type, or a text in a comparison. */
const isCode = ({ parent }: ts.Node): boolean =>
  ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent);

const isJoin = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;

/** The text of a literal or of joined literals, with `…` for each value; `undefined` for any other expression. */
const textOf = (node: ts.Node): string | undefined => {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (!isJoin(node)) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`;
};

const textsIn = (file: ts.SourceFile): string[] => {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = isCode(node) ? undefined : textOf(node);
    if (text !== undefined && isProse(text)) texts.push(text.replaceAll(/\s+/g, ' ').trim());
    // The literals of a join are part of its text, while the values in a template may have texts of their own.
    const parts = isJoin(node) && text !== undefined ? valuesOf(node) : [node];
    for (const part of parts) ts.forEachChild(part, visit);
  };
  ts.forEachChild(file, visit);
  return texts;
};

const valuesOf = (node: ts.Node): readonly ts.Node[] =>
  isJoin(node) ? [...valuesOf(node.left), ...valuesOf(node.right)] : [node];

/** Every sentence in the source of the library, in alphabetical order, with `…` for each value. */
export const messagesOfLibrary = (): readonly string[] => {
  const files = readdirSync(LIB, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.generated.ts'),
  );
  const texts = files.flatMap((file) =>
    textsIn(ts.createSourceFile(file, readFileSync(join(LIB, file), 'utf8'), ts.ScriptTarget.Latest, true)),
  );
  return [...new Set(texts)].toSorted();
};
