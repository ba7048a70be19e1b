import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RECIPES = join(__dirname, '../../docs/recipes');

const pages = readdirSync(RECIPES).filter((name) => name.endsWith('.md'));

describe('The pages of docs/recipes', () => {
  it.each(pages)('%s shows the files as they are', (page) => {
    const text = readFileSync(join(RECIPES, page), 'utf8');
    const shown = [...text.matchAll(/^```(?:ts|java)\n\/\/ (\S+\.(?:ts|java))\n([^]*?)^```/gm)].map(
      ([, file = '', code = '']) => [file, code],
    );
    const folder = page.replace(/\.md$/, '');
    const files = readdirSync(join(RECIPES, folder)).map((name) => `${folder}/${name}`);
    expect(new Set(shown.map(([file]) => file))).toEqual(new Set(files));
    for (const [file = '', code] of shown) expect(code).toBe(readFileSync(join(RECIPES, file), 'utf8'));
  });
});
