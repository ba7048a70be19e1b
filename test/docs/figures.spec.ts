import { claims, pageText } from './figures.js';

describe('Figures on pages', () => {
  it.each(claims)('are those of the results: $page has "$text" of $source', ({ page, text }) => {
    expect(pageText(page)).toContain(text);
  });

  it('are all made from results in the README', () => {
    const rest = claims.reduce((readme, { text }) => readme.replace(text, ''), pageText('README.md'));
    // Rates, latencies, shares and factors; times such as "30 s" are defaults.
    expect(rest.match(/\d[\d,.]* ?(?:µs|ms\b|\/s|%|×|times)/g) ?? []).toEqual([]);
  });
});
