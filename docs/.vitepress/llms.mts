import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DefaultTheme, SiteConfig } from 'vitepress';

const PREAMBLE =
  '# nest-redis-lock\n\n> Distributed locks for NestJS on Redis: `@Locked`, semaphores, limits, leaders, with the data of Redisson.\n';

interface Page {
  readonly title: string;
  readonly link: string;
  readonly text: string;
}

/** The pages of a section, without those that are elsewhere or are generated. */
const pagesOf = (items: readonly DefaultTheme.SidebarItem[], docs: string): readonly Page[] =>
  items.flatMap(({ text = '', link = '' }) => {
    if (!link.startsWith('/') || link.startsWith('/reference/api')) return [];
    const path = link.endsWith('/') ? `${link}index` : link;
    const files = [path, path.replace(/index$/, 'README')].map((name) => join(docs, `${name}.md`));
    const file = files.find((name) => existsSync(name));
    if (file === undefined) throw new Error(`The side bar links to ${link}, which is no page`);
    return [{ title: text, link: `${path}.md`, text: readFileSync(file, 'utf8') }];
  });

/** Without the notes for the program that embeds snippets. */
const plain = (text: string): string => text.replaceAll(/<!--.*?-->\n*/g, '');

/**
 * Writes `llms.txt`, the list of all pages, and `llms-full.txt`, their texts, beside the site, and each page as Markdown where its
 * link leads: for programs that read documentation (llmstxt.org).
 */
export const writeTexts = (
  sidebar: readonly DefaultTheme.SidebarItem[],
  { outDir, srcDir, site }: SiteConfig,
): void => {
  const sections = sidebar.map(({ text = '', items = [] }) => ({ text, pages: pagesOf(items, srcDir) }));
  const lists = sections.map(({ text, pages }) => {
    const links = pages.map(({ title, link }) => `- [${title}](${site.base.slice(0, -1)}${link})`);
    return `## ${text}\n\n${links.join('\n')}\n`;
  });
  const pages = sections.flatMap((section) => section.pages);
  for (const { link, text } of pages) writeFileSync(join(outDir, link), plain(text));
  writeFileSync(join(outDir, 'llms.txt'), [PREAMBLE, ...lists].join('\n'));
  writeFileSync(join(outDir, 'llms-full.txt'), [PREAMBLE, ...pages.map(({ text }) => plain(text))].join('\n'));
};
