// Rebuilds what a change makes stale, until it is stopped: scripts after a .lua file, the page of the dashboard after one
// of its files, and the package after any TypeScript.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const start = (args) => spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });

/** Runs a task at once, and again after changes; those that come while it runs are served by one more run. */
function repeat(task) {
  let isStale = false;
  let isRunning = false;
  const run = async () => {
    isStale = true;
    if (isRunning) return;
    isRunning = true;
    while (isStale) {
      isStale = false;
      await task();
    }
    isRunning = false;
  };
  void run();
  return run;
}

/** Runs tools one after the other. A tool that fails has said why, and the next change tries again. */
const tools = (name, files) => async () => {
  for (const file of files) {
    const code = await new Promise((resolve) => start([file]).once('exit', resolve));
    if (code !== 0) return;
  }
  process.stdout.write(`${new Date().toLocaleTimeString()} ${name} ready\n`);
};

const embedScripts = repeat(tools('scripts', ['tools/embed-scripts.mjs', 'tools/translate-scripts.mjs']));
const embedPage = repeat(tools('page', ['tools/embed-page.mjs']));

watch(`${root}/lib`, { recursive: true }, (_event, file) => {
  if (file?.endsWith('.lua')) void embedScripts();
  if (file?.startsWith('integrations/dashboard/page/')) void embedPage();
});

const bundle = repeat(tools('package', ['tools/bundle.mjs']));
watch(`${root}/dist/build`, { recursive: true }, () => void bundle());
start(['node_modules/@typescript/native/bin/tsc', '-p', 'tsconfig.build.json', '--watch', '--preserveWatchOutput']);
