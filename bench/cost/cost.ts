import type { Redis } from 'ioredis';
import { between, commandStats, scriptUsage, sentByClients, subscriptionUsage } from './server-commands.js';
import { serverTime } from './server-time.js';

/** What some work cost, in sum over its operations. */
export interface Cost {
  /** Processor time of the clients' processes, µs. */
  readonly clientCpu: number;
  /** Processor time of the server's process, µs. */
  readonly serverCpu: number;
  /** Time that the server spent in commands that clients sent, µs. */
  readonly serverTime: number;
  readonly commands: number;
  readonly scripts: number;
  readonly subscriptions: number;
}

/** A process of clients. */
export interface CpuUser {
  /** Processor time that it has used so far, µs. */
  cpuTime(): Promise<number>;
}

export interface Observed {
  readonly observer: Redis;
  readonly clients: readonly CpuUser[];
  /** Commands that the clients send beside scripts. */
  readonly plainCommands?: readonly string[];
}

/** Executes work and measures what it cost the clients and the server. */
export async function costOf<Result>(
  { observer, clients, plainCommands }: Observed,
  work: () => Promise<Result>,
): Promise<readonly [Result, Cost]> {
  const before = await commandStats(observer);
  const serverBefore = await serverTime(observer);
  const clientsBefore = await cpuTimeOf(clients);
  const result = await work();
  const clientCpu = (await cpuTimeOf(clients)) - clientsBefore;
  const serverCpu = (await serverTime(observer)) - serverBefore;
  const done = between(before, await commandStats(observer));
  const sent = sentByClients(done, plainCommands);
  const cost: Cost = {
    ...{ clientCpu, serverCpu, serverTime: sent.usec, commands: sent.calls },
    scripts: scriptUsage(done).calls,
    subscriptions: subscriptionUsage(done).calls,
  };
  return [result, cost];
}

async function cpuTimeOf(clients: readonly CpuUser[]): Promise<number> {
  const times = await Promise.all(clients.map((client) => client.cpuTime()));
  return times.reduce((sum, time) => sum + time, 0);
}

/** The cost of each of so many operations. */
export function costEach(cost: Cost, operations: number): Cost {
  const each = (sum: number): number => (operations === 0 ? Number.NaN : sum / operations);
  return {
    clientCpu: each(cost.clientCpu),
    serverCpu: each(cost.serverCpu),
    serverTime: each(cost.serverTime),
    commands: each(cost.commands),
    scripts: each(cost.scripts),
    subscriptions: each(cost.subscriptions),
  };
}
