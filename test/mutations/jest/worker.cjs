// Forked in a copy: runs specs there again and again, in one process, without starting jest anew.
const path = require('node:path');
const { runCLI } = require('jest');

const here = (file) => path.join(__dirname, file);

const run = async ({ specs, isProbed }) => {
  process.env.SPEC_ORDER = specs.join('\n');
  const setup = [path.join(process.cwd(), 'test/kit/end-contexts.cjs')];
  if (isProbed) setup.push(here('record-reached.cjs'));
  try {
    const options = {
      _: specs,
      $0: '',
      runTestsByPath: true,
      runInBand: true,
      maxWorkers: 1,
      bail: isProbed ? 0 : 1,
      silent: true,
      reporters: [here('tell-parent.cjs')],
      testSequencer: here('given-order.cjs'),
      setupFilesAfterEnv: setup,
    };
    await runCLI(options, [process.cwd()]);
    process.send({ type: 'done' });
  } catch (error) {
    process.send({ type: 'broken', error: String(error?.stack ?? error) });
  }
};

process.on('message', (asked) => void run(asked));

// The runner has ended, however it did.
process.on('disconnect', () => process.exit());
