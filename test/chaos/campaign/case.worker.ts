import { cases } from '../cases/index.js';
import { type CaseSeries, runSeeds } from './case-series.js';

// Forked by the campaign. Runs one case after the other, as they are sent, and sends back a row for each.
process.on('unhandledRejection', (error) => {
  console.error('Nobody waited for this:', error);
  process.exitCode = 1;
});

const runSent = async (sent: CaseSeries): Promise<void> => {
  const chaos = cases.find(({ id }) => id === sent.id);
  if (chaos === undefined) throw new Error(`There is no case ${sent.id}`);
  process.send?.(await runSeeds(chaos, sent));
};

process.on('message', (sent: CaseSeries) => {
  runSent(sent).catch((error: unknown) => {
    console.error(error);
    process.exit(2);
  });
});
