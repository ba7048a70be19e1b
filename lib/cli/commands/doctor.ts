import type { Command } from 'commander';
import { hasSentinels } from '../../backend/connection/target.js';
import { isCluster, type RedisTarget, redisTarget } from '../../backend/redis-target.js';
import { aclRules, SENTINEL_ACL_RULES } from '../../backend/probe/acl-rules.js';
import type { ProbeError } from '../../backend/probe/findings.js';
import { type Findings, probeConnection } from '../../backend/probe/probe.js';
import { parseModuleOptions } from '../../module/options/redis-lock.options.js';
import { MonotonicScheduler, systemScheduler } from '../../time/scheduler.js';
import { printable } from '../../validation/printable.js';
import type { CommandContext } from '../command-context.js';
import { type RedisPlace, connectionOf } from '../redis-place.js';
import { ExitCode } from '../exit-code.js';
import { moduleOptionsOf } from '../open-locks.js';
import type { Style, Terminal } from '../display/terminal.js';

interface DoctorOptions extends RedisPlace {
  readonly json?: boolean;
}

/** A line for an administrator to copy into redis-cli. */
interface AclLine {
  readonly servers: string;
  readonly line: string;
}

interface Diagnosis extends Pick<Findings, 'summary' | 'doubts'> {
  readonly dangers: readonly Pick<ProbeError, 'where' | 'reason' | 'remedy'>[];
  readonly acl: readonly AclLine[];
}

/**
 * Inspects the servers as the start of an application does.
 * @throws LockUnavailableError if one does not answer.
 */
const examine = async (
  target: RedisTarget,
  choice: DoctorOptions,
  environment: NodeJS.ProcessEnv,
): Promise<Findings> => {
  const settings = parseModuleOptions(moduleOptionsOf(choice, environment));
  // Whether a prefix was given is known only here.
  const use = { ...settings, isPrefixChosen: choice.keyPrefix !== undefined, minReplicas: 0, needsDisk: false };
  const scheduler = new MonotonicScheduler(systemScheduler, (error) => {
    throw error;
  });
  try {
    const { signal } = new AbortController();
    return await probeConnection(target, use, { commandTimeout: settings.commandTimeout, scheduler, signal });
  } finally {
    scheduler.deadlines.stop();
  }
};

const aclFor = (target: RedisTarget, { keyPrefix = '', user, sentinelUser }: DoctorOptions): readonly AclLine[] => {
  const line = (name: string, rules: readonly string[]): string =>
    `ACL SETUSER ${name} on >password ${rules.join(' ')}`;
  const byCluster = isCluster(target);
  const bySentinels = !byCluster && hasSentinels(target.options);
  const rules = aclRules({ keyPrefix, isCluster: byCluster, usesDatabase: Number(target.options.db ?? 0) !== 0 });
  const servers = byCluster ? 'every server' : bySentinels ? 'the master and its replicas' : 'the server';
  return [
    { servers, line: line(user ?? 'locks', rules) },
    ...(bySentinels ? [{ servers: 'the Sentinels', line: line(sentinelUser ?? 'locks', SENTINEL_ACL_RULES) }] : []),
  ];
};

const print = ({ summary, dangers, doubts, acl }: Diagnosis, terminal: Terminal): void => {
  const say = (style: Style, word: string, text: string): void =>
    terminal.line(`${terminal.styled(style, word.padEnd(8))} ${printable(text)}`);
  say('green', 'found', summary);
  for (const { where, reason, remedy } of dangers) say('red', 'danger', `${where}: ${reason}; ${remedy}`);
  for (const doubt of doubts) say('yellow', 'warning', doubt);
  for (const { servers, line } of acl) {
    terminal.line();
    terminal.line(
      terminal.styled('bold', `For a user that may use locks and nothing else, in redis-cli on ${servers}:`),
    );
    terminal.line(printable(line));
  }
  terminal.line();
  terminal.line('list, show and watch also need +scan.');
};

const doctor = async (options: DoctorOptions, { terminal, environment }: CommandContext): Promise<number> => {
  const target = redisTarget(connectionOf(options, environment));
  const { summary, doubts, ...found } = await examine(target, options, environment);
  const dangers = found.dangers.map(({ where, reason, remedy }) => ({ where, reason, remedy }));
  const diagnosis: Diagnosis = { summary, dangers, doubts, acl: aclFor(target, options) };
  if (options.json === true) terminal.json(diagnosis);
  else print(diagnosis, terminal);
  return diagnosis.dangers.length > 0 ? ExitCode.configuration : ExitCode.ok;
};

export const addDoctor = (program: Command, context: CommandContext): void => {
  program
    .command('doctor')
    .description('check the servers as the start of an application does, and print the ACL line that locks need')
    .option('--json', 'print one line of JSON')
    .action((_: unknown, command: Command) => context.finish(doctor(command.optsWithGlobals(), context)));
};
