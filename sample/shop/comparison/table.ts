import type { Cell } from './scenario-result.js';

/** Text is left-aligned, numbers are rounded and right-aligned. */
export function table(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((cells) => cells.map((cell) => (typeof cell === 'number' ? String(Math.round(cell)) : cell)));
  const isNumber = columns.map((_, column) => rows.every((cells) => typeof cells[column] === 'number'));
  const widths = columns.map((title, column) =>
    Math.max(title.length, ...texts.map((cells) => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('   ')
      .trimEnd();
  const titles = line(columns);
  return [
    titles,
    '─'.repeat(Math.max(titles.length, ...texts.map((cells) => line(cells).length))),
    ...texts.map(line),
  ].join('\n');
}
