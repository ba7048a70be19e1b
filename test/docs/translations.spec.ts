import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from './figures.js';

const translations = [
  { page: 'docs/zh/index.md', of: 'README.md' },
  { page: 'docs/zh/start.md', of: 'docs/guide/start.md' },
];

const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

const blocksOf = (page: string): readonly string[] => textOf(page).match(/^```[\s\S]*?^```$/gm) ?? [];

/** What a page links to, from the top of the project. */
const linksOf = (page: string): ReadonlySet<string> =>
  new Set(
    [...textOf(page).matchAll(/\]\((?<to>[^)]+)\)/g)].map(({ groups }) => {
      const to = groups?.['to'] ?? '';
      return /^(?:https?:|#)/.test(to) ? to : normalize(join(dirname(page), to));
    }),
  );

/** A translation that has fallen behind shows it by its code first. */
describe('Translated pages', () => {
  it.each(translations)('$page has the code of $of', ({ page, of }) => {
    expect(blocksOf(page)).toEqual(blocksOf(of));
  });

  it.each(translations)('$page links where $of does, and to the pages that are translated', ({ page, of }) => {
    const known = new Set([...linksOf(of), ...translations.flatMap((each) => [each.page, each.of])]);
    expect([...linksOf(page)].filter((link) => !known.has(link))).toEqual([]);
  });
});
