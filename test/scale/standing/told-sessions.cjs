// Tells of each session in which a worker thread looks into the main thread, on a channel that the main thread hears.
const inspector = require('node:inspector');
const { BroadcastChannel, isMainThread } = require('node:worker_threads');

if (!isMainThread) {
  const channel = new BroadcastChannel('sessions');
  inspector.Session = class extends inspector.Session {
    connectToMainThread() {
      channel.postMessage('opened');
      super.connectToMainThread();
    }
  };
}
