import { figuresOf } from './figures.js';
import type { Sale } from './sale.js';

/** What must not happen, in sentences. Overselling without locks may happen: it is what the sample shows. */
export function complaints(off: Sale, on: Sale): readonly string[] {
  const { oversold, itemsSold, stockLeft } = figuresOf(on);
  const offered = on.offer.reduce((total, { stock }) => total + stock, 0);
  const found = [...failuresOf(off, 'off'), ...failuresOf(on, 'on')];
  if (oversold > 0) found.push(`With locks on, ${oversold} were sold that were not there.`);
  if (itemsSold + stockLeft !== offered) {
    found.push(`With locks on, ${itemsSold} sold and ${stockLeft} left do not make the ${offered} that were offered.`);
  }
  return found;
}

function failuresOf({ visits }: Sale, locks: 'off' | 'on'): readonly string[] {
  const failed = visits.filter(({ outcome }) => outcome === 'failed');
  const [first] = failed;
  if (first === undefined) return [];
  return [
    `With locks ${locks}, ${failed.length} requests were neither accepted nor refused, the first with: ${first.reason}`,
  ];
}
