import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { writeTexts } from './llms.mjs';

const DOCS = fileURLToPath(new URL('..', import.meta.url));
const { version } = JSON.parse(readFileSync(join(DOCS, '../package.json'), 'utf8')) as { readonly version: string };
const REPOSITORY = 'https://github.com/nest-redis-lock/nest-redis-lock';

/** In the page itself: a site that is served below another path would not find a file. */
const ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M4 7V5a4 4 0 0 1 8 0v2h1v8H3V7zm2 0h4V5a2 2 0 0 0-4 0z" fill="#2456c9"/></svg>')}`;

type MarkdownToIt = NonNullable<Parameters<typeof defineConfig>[0]['markdown']>['config'];

const titleOf = (page: string): string => {
  const title = /^# (.*)$/m.exec(readFileSync(join(DOCS, `${page}.md`), 'utf8'))?.[1];
  if (title === undefined) throw new Error(`docs/${page}.md has no title`);
  return title.replaceAll('`', '');
};

const linkTo = (page: string): DefaultTheme.SidebarItem => ({
  text: titleOf(page),
  link: `/${page.replace(/(?:README|index)$/, '')}`,
});

/** The pages of a folder: first those that are named, then all others. */
const folder = (name: string, first: readonly string[] = []): DefaultTheme.SidebarItem[] => {
  const all = readdirSync(join(DOCS, name)).filter((file) => file.endsWith('.md'));
  const pages = all.map((file) => file.slice(0, -'.md'.length)).toSorted();
  const rest = pages.filter((page) => !first.includes(page));
  return [...first, ...rest].map((page) => linkTo(`${name}/${page}`));
};

/** A folded section; the one of the open page unfolds by itself. */
const section = (text: string, items: DefaultTheme.SidebarItem[]): DefaultTheme.SidebarItem => ({
  text,
  items,
  collapsed: true,
});

const inRepository = (path: string): string => {
  const exists = existsSync(join(DOCS, '..', path));
  if (!exists) throw new Error(`A page links to ${path}, which does not exist`);
  return `${REPOSITORY}/blob/main/${path}`;
};

/** Pages are read in the repository as well, so links lead to its other files: on the site, to the repository. */
const linkToRepository: MarkdownToIt = (md) => {
  md.core.ruler.push('links-to-the-repository', ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href === null || href.startsWith('#') || /^[a-z]+:/.test(href)) continue;
        const [path = '', anchor] = href.split('#');
        const fromRoot = normalize(join('docs', dirname(String(env.relativePath)), path));
        const isPage = fromRoot.startsWith('docs/') && /\.(?:md|svg|png|json|yml)$/.test(fromRoot);
        if (isPage || path.startsWith('/')) continue;
        token.attrSet('href', inRepository(fromRoot) + (anchor === undefined ? '' : `#${anchor}`));
      }
    }
  });
};

const guide = [
  'start',
  'configure',
  'lock-a-method',
  'keys',
  'conflicts-and-http',
  'transactions',
  'cron',
  'single-flight',
  'idempotency',
  'limits-and-semaphores',
  'fair',
  'read-write',
  'many-keys',
  'redlock',
  'leader',
  'latches',
  'testing',
  'shutdown',
  'questions',
];

const english: DefaultTheme.SidebarItem[] = [
  { ...section('Guide', folder('guide', guide)), collapsed: false },
  section('Recipes', folder('recipes')),
  section(
    'Safety',
    folder('safety', ['promises', 'efficiency-or-correctness', 'fencing', 'fail-over', 'traps', 'when-not-to-lock']),
  ),
  section('Operate', [
    ...folder('operate', ['topologies', 'probe', 'acl', 'tls', 'outages', 'runbook', 'troubleshooting']),
    linkTo('engines'),
    linkTo('redisson'),
  ]),
  section('Observe', folder('observability', ['dashboard', 'metrics', 'traces', 'health', 'logs', 'events'])),
  section('Migrate', [...folder('migrate', ['index']), linkTo('compare')]),
  section('Reference', [
    linkTo('reference/kinds'),
    linkTo('reference/errors'),
    linkTo('reference/testing'),
    linkTo('reference/drivers'),
    linkTo('reference/assistants'),
    { text: 'API', link: '/reference/api/', items: [] },
  ]),
  section('Internals', [
    linkTo('architecture'),
    ...folder('decisions', ['README']),
    { text: 'Chaos', link: `${REPOSITORY}/blob/main/test/chaos/README.md` },
    { text: 'Simulated schedules', link: `${REPOSITORY}/blob/main/test/sim/README.md` },
    { text: 'Benchmark', link: `${REPOSITORY}/blob/main/bench/RESULTS.md` },
    { text: 'Matrix of methods', link: `${REPOSITORY}/blob/main/test/matrix/RESULTS.md` },
  ]),
];

const chinese = section('中文', folder('zh', ['index', 'start']));

export default defineConfig({
  title: 'nest-redis-lock',
  // Where the site is served: at the root, or below the name of a repository.
  base: process.env['DOCS_BASE'] ?? '/',
  description: 'Distributed locks for NestJS on Redis',
  head: [['link', { rel: 'icon', href: ICON }]],
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ['snippets/**', 'recipes/*/**'],
  rewrites: (page) => page.replace(/README\.md$/, 'index.md'),
  markdown: { config: linkToRepository },
  buildEnd: (site) => writeTexts(english, site),
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/guide/start' },
      { text: 'Safety', link: '/safety/promises' },
      { text: 'Operate', link: '/operate/topologies' },
      { text: 'Reference', link: '/reference/kinds' },
      { text: version, link: `${REPOSITORY}/blob/main/CHANGELOG.md` },
    ],
    sidebar: [...english, chinese],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
});
