import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SNIPPETS = join(__dirname, '../../docs/snippets');

const isProgram = (file: string): boolean =>
  /^(?:await|void|const \w+ = await)\b|^await using/m.test(readFileSync(join(SNIPPETS, file), 'utf8'));

/** Files that pages show, except tests, which `npm run test:samples` runs, and programs, which would need servers. */
const snippets = readdirSync(SNIPPETS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('spec.ts') && !isProgram(file),
);

describe('Snippets of pages', () => {
  it('are found', () => {
    expect(snippets.length).toBeGreaterThan(40);
  });

  // The decorators check templates and options when a class is loaded.
  it.each(snippets)('%s can be loaded', async (file) => {
    await expect(import(join(SNIPPETS, file))).resolves.toBeDefined();
  });
});
