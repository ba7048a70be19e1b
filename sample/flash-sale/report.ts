import { answeredPerProcess, type Figures, figuresOf } from './figures.js';
import type { Sale } from './sale.js';

const COLUMNS: readonly [title: string, figure: (figures: Figures) => number][] = [
  ['orders accepted', ({ accepted }) => accepted],
  ['refused', ({ refused }) => refused],
  ['items sold', ({ itemsSold }) => itemsSold],
  ['stock left', ({ stockLeft }) => stockLeft],
  ['oversold', ({ oversold }) => oversold],
  ['requests/s', ({ requestsPerSecond }) => requestsPerSecond],
  ['p50 ms', ({ p50 }) => p50],
  ['p99 ms', ({ p99 }) => p99],
];

/** The two sales beside each other, and what they show in words. */
export function report(off: Sale, on: Sale): string {
  const figures = { off: figuresOf(off), on: figuresOf(on) };
  return [
    table(figures.off, figures.on),
    '',
    `Orders answered by each process: locks off ${shares(off)}, locks on ${shares(on)}.`,
    ...remarks(figures.off, figures.on),
  ].join('\n');
}

export function table(off: Figures, on: Figures): string {
  const row = (locks: string, figures: Figures): readonly string[] => [
    locks,
    ...COLUMNS.map(([, figure]) => String(Math.round(figure(figures)))),
  ];
  const rows = [['locks', ...COLUMNS.map(([title]) => title)], row('off', off), row('on', on)];
  const [head = '', ...body] = rows.map((cells) => cells.map((cell, n) => aligned(cell, n, rows)).join('   '));
  return [head, '─'.repeat(head.length), ...body].join('\n');
}

/** The first column is text, the others are numbers. */
function aligned(cell: string, column: number, rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

function remarks(off: Figures, on: Figures): readonly string[] {
  return [
    off.oversold > 0
      ? `Without locks the shop promised ${items(off.oversold)} that it did not have, and believes to have ${off.stockLeft} left.`
      : 'Without locks nothing was oversold this time: luck, or PAYMENT_MS is too short for the orders to overlap.',
    on.oversold > 0
      ? `With locks the shop promised ${items(on.oversold)} that it did not have.`
      : 'With locks no item was sold twice.',
  ];
}

const shares = (sale: Sale): string => [...answeredPerProcess(sale).values()].join(' + ');

const items = (count: number): string => (count === 1 ? '1 item' : `${count} items`);
