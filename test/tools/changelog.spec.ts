import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const tool = resolve(__dirname, '../../tools/changelog.mjs');

/** As changesets writes a section: below the title, without a date, by the size of the change. */
const WRITTEN = `# Changelog

## 0.3.0

### Minor Changes

- 1a2b3c4: Added: the option \`patience\`,
  which waits.

  It has a second paragraph.

- Changed: nothing else

### Patch Changes

- 5d6e7f8: Added: a page on patience

## [0.2.0] - 2026-11-24

### Fixed

- Something
`;

const DATED = `### Added

- The option \`patience\`,
  which waits.

  It has a second paragraph.
- A page on patience

### Changed

- Nothing else
`;

describe('The changelog of a release', () => {
  let folder: string;

  const changelog = (command: string) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [tool, command, folder], { encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const write = (text: string): void => writeFileSync(join(folder, 'CHANGELOG.md'), text);
  const read = (): string => readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'changelog-'));
    writeFileSync(join(folder, 'package.json'), '{ "version": "0.3.0" }');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('gets a date and the groups of Keep a Changelog', () => {
    write(WRITTEN);
    expect(changelog('date')).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(read()).toMatch(/^# Changelog\n\n## \[0\.3\.0\] - \d{4}-\d{2}-\d{2}\n\n### Added\n/);
    expect(read()).toContain(`${DATED}\n## [0.2.0] - 2026-11-24\n\n### Fixed\n\n- Something\n`);
    expect(changelog('notes')).toEqual({ status: 0, stdout: DATED, stderr: '' });
  });

  it('is refused with an entry that has no group', () => {
    write('# Changelog\n\n## 0.3.0\n\n### Patch Changes\n\n- Tidy up\n');
    const { status, stderr } = changelog('date');
    expect(status).toBe(1);
    expect(stderr).toMatch(/^An entry begins with one of Added, .*: Tidy up\n$/);
    expect(read()).toContain('- Tidy up');
  });

  it('has no notes before it is dated', () => {
    write(WRITTEN);
    expect(changelog('notes')).toMatchObject({ status: 1, stdout: '' });
  });

  it('has no notes of a version that it does not name', () => {
    write('# Changelog\n\n## [0.2.0] - 2026-11-24\n\n- Something\n');
    expect(changelog('notes')).toMatchObject({ status: 1, stdout: '' });
  });
});
