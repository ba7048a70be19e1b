import { clearScreenDown, cursorTo } from 'node:readline';
import { styleText } from 'node:util';
import { printable, printableJson } from '../../validation/printable.js';
import { clipped } from './table.js';

/** A style of `util.styleText`. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

const NAME = 'nest-redis-lock';
const ROWS = 24;
const COLUMNS = 80;

/** Where the command line writes: results to the one stream, sentences about its own work to the other. */
export class Terminal {
  constructor(
    private readonly output: NodeJS.WriteStream,
    private readonly errors: NodeJS.WriteStream,
  ) {}

  /** Whether results go to a screen. */
  get isScreen(): boolean {
    return this.output.isTTY;
  }

  /** Writes a line to the results as it is: the text must be printable. */
  line(text = ''): void {
    this.output.write(`${text}\n`);
  }

  json(value: unknown): void {
    this.line(printableJson(value));
  }

  /** Writes a table, the titles in bold. */
  table(lines: readonly string[]): void {
    for (const [index, line] of lines.entries()) this.line(index === 0 ? this.styled('bold', line) : line);
  }

  /** Shows a line and a table in place of all that is on the screen, as far as there is room. */
  redraw(title: string, lines: readonly string[]): void {
    // A terminal that does not know its size says 0.
    const rows = this.output.rows || ROWS;
    const columns = this.output.columns || COLUMNS;
    const room = Math.max(1, rows - 3);
    cursorTo(this.output, 0, 0);
    clearScreenDown(this.output);
    this.line(clipped(title, columns));
    this.table(lines.slice(0, room).map((line) => clipped(line, columns)));
    if (lines.length > room) this.line(`… and ${lines.length - room} more`);
  }

  /** One sentence for the user, on the other stream. */
  say(sentence: string): void {
    this.errors.write(`${NAME}: ${printable(sentence)}\n`);
  }

  /** The text in that style on a screen; elsewhere, and with NO_COLOR, as it is. */
  styled(style: Style, text: string): string {
    return styleText(style, text, { stream: this.output });
  }
}
