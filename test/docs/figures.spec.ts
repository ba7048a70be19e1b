import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { claims, pageText, ROOT } from './figures.js';

const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md') && !/^(reference\/api|\.vitepress)/.test(file))
  .map((file) => join('docs', file));

/** The text of a page without the figures that results have. */
const withoutClaims = (page: string): string =>
  claims.filter((claim) => claim.page === page).reduce((text, claim) => text.replace(claim.text, ''), pageText(page));

describe('Figures on pages', () => {
  it.each(claims)('are those of the results: $page has "$text" of $source', ({ page, text }) => {
    expect(pageText(page)).toContain(text);
  });

  it('are all made from results in the README', () => {
    // Rates, latencies, shares and factors; times such as "30 s" are defaults.
    const figure = /\d[\d,.]* ?(?:µs|ms\b|\/s|%|×|times)/g;
    expect(withoutClaims('README.md').match(figure) ?? []).toEqual([]);
  });

  // Milliseconds and percents are mostly settings, and are not looked for.
  it.each(pages)('are all made from results in %s, as far as a unit tells them from settings', (page) => {
    const figure = /\d[\d,.]* ?(?:µs|\/s\b|[kKM]B\b)|\d times (?:as|faster|slower)|Measured: \d/g;
    expect(withoutClaims(page).match(figure) ?? []).toEqual([]);
  });
});
