import { type Range, runRange } from './range.js';

// Forked by the campaign: runs the range that it is sent, and tells how it goes.
process.once('message', (range: Range) => {
  runRange(range, (part) => void process.send?.(part)).then(
    () => process.disconnect(),
    (error: unknown) => {
      console.error(error);
      process.exit(2);
    },
  );
});
