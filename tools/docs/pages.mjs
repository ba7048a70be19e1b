import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The files below a folder whose names match, but none that is generated. */
export const filesBelow = (folder, pattern) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => pattern.test(path) && !/node_modules|\.vitepress|^docs\/reference\/api\//.test(path))
    .toSorted();

/** All pages that are written by hand: the documentation, and those at the top. */
export const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...filesBelow('docs', /\.md$/),
  ...filesBelow('sample', /\.md$/),
  ...filesBelow('test', /\.md$/),
];
