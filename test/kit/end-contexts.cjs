const { AsyncLocalStorage } = require('node:async_hooks');

/**
 * Disables each AsyncLocalStorage that the tests of a file have used. Jest loads the library anew for every file, and
 * Node 20 keeps every storage that was ever used: after a hundred files of one worker, each promise costs a hundred
 * times as much.
 */
const used = new Set();
const run = Object.getOwnPropertyDescriptor(AsyncLocalStorage.prototype, 'run').value;

AsyncLocalStorage.prototype.run = function (...args) {
  used.add(this);
  return run.apply(this, args);
};

afterAll(() => {
  AsyncLocalStorage.prototype.run = run;
  for (const storage of used) storage.disable();
});
