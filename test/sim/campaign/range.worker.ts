import { type Range, runRange } from './range.js';

// Forked by the campaign. Runs the range that it is sent, and sends back results.
process.once('message', (range: Range) => {
  runRange(range, (part) => void process.send?.(part)).then(
    () => process.disconnect(),
    (error: unknown) => {
      console.error(error);
      process.exit(2);
    },
  );
});
