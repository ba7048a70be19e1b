/** A column: its title, and the printable text of each row. */
export interface Column<T> {
  readonly title: string;
  text(row: T): string;
}

const segmenter = new Intl.Segmenter();

/** The characters as they are seen: a letter with its marks is one. */
const charactersOf = (text: string): readonly string[] => [...segmenter.segment(text)].map(({ segment }) => segment);

/** The number of places that the text takes, if each character takes one. */
const widthOf = (text: string): number => charactersOf(text).length;

/** The text on at most so many places; `…` at its end says that there is more. */
export const clipped = (text: string, width: number): string => {
  const characters = charactersOf(text);
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
};

/** The lines of a table, the titles first. The last column is not padded. */
export const tableLines = <T>(rows: readonly T[], columns: readonly Column<T>[]): readonly string[] => {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => column.text(row)))];
  // Not by Math.max(...): a table may have more lines than a call has arguments.
  const widths = columns.map((_, index) =>
    lines.reduce((widest, texts) => Math.max(widest, widthOf(texts[index] ?? '')), 0),
  );
  const padded = (text: string, index: number): string =>
    text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - widthOf(text)));
  return lines.map((texts) => texts.map(padded).join('  ').trimEnd());
};
