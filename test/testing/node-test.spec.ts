import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

describe('Under node:test', () => {
  it('the testing kit works with its fake timers', async () => {
    const files = ['../servers/register.cjs', './fixtures/node-test.process.ts'].map((file) => join(__dirname, file));
    const { stdout } = await promisify(execFile)(process.execPath, files);
    expect(stdout).toMatch(/^(#|ℹ) pass 2$/m);
    expect(stdout).toMatch(/^(#|ℹ) fail 0$/m);
  });
});
