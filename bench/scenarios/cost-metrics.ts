import type { Metric } from './scenario.js';

/** Processor time of the clients' processes for each operation. */
export const CLIENT_CPU: Metric = { key: 'clientCpu', title: 'client CPU', unit: 'µs', digits: 1, best: 'lowest' };
/** Time in commands that clients sent, by commandstats. */
export const SERVER_TIME: Metric = { key: 'serverTime', title: 'server time', unit: 'µs', digits: 1, best: 'lowest' };
/** Processor time of the server's process, which reads, parses, and replies as well. */
export const SERVER_CPU: Metric = { key: 'serverCpu', title: 'server CPU', unit: 'µs', digits: 1, best: 'lowest' };
export const COMMANDS: Metric = { key: 'commands', title: 'commands', digits: 2, best: 'lowest' };
export const SCRIPTS: Metric = { key: 'scripts', title: 'scripts', digits: 2, best: 'lowest' };
export const SUBSCRIPTIONS: Metric = {
  key: 'subscriptions',
  title: 'subscription commands',
  digits: 2,
  best: 'lowest',
};

/** What an operation costs: a pair, an acquisition with its release, a hand-over. */
export const COSTS: readonly Metric[] = [CLIENT_CPU, SERVER_TIME, SERVER_CPU, COMMANDS];

/** The same, with the ratio to the raw pair where that is a processor's time. */
export const COSTS_OVER_LIMIT: readonly Metric[] = COSTS.map((metric) =>
  metric === COMMANDS ? metric : { ...metric, overLimit: true },
);
