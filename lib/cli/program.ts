import { Command, CommanderError } from 'commander';
import { EOL } from 'node:os';
import { addDoctor } from './commands/doctor.js';
import { addList } from './commands/list.js';
import { addRelease } from './commands/release.js';
import { addRun } from './commands/run.js';
import { addShow } from './commands/show.js';
import { addWatch } from './commands/watch.js';
import type { CommandContext } from './command-context.js';
import { CommandFailure, failureOf } from './command-failure.js';
import { ExitCode } from './exit-code.js';
import type { Terminal } from './display/terminal.js';
import { isAtDefault } from './redis-place.js';

const EXIT_CODES = `
Environment:
  REDIS_URL                the server, if no option names one
  REDIS_PASSWORD           the password of --user, or of the default user
  REDIS_SENTINEL_PASSWORD  the password of the Sentinels
  NO_COLOR                 no colours on a terminal either

Exit codes:
  0   done                          75   not acquired within --wait
  64  wrong command or option       76   lock lost while the command ran
  65  not what is stored there      77   wrong password or missing right
  69  Redis unavailable             78   wrong configuration, here or of the server
  70  internal error                126  command cannot be run; 127: not found
  128+n  ended by signal n; otherwise run ends with the code of its command
`;

/** Ends that commander reports as errors: help or the version was asked for, or was shown because a command is missing. */
const SHOWN = ['commander.version', 'commander.helpDisplayed', 'commander.help'];

const NO_PLACE =
  'that is the default, since neither --url nor REDIS_URL says where Redis is; a file .env is not read: ' +
  'export REDIS_URL, or give --url';

/** Message of commander, on one line and without its own prefix. */
const sentenceOf = ({ message }: CommanderError): string => message.replace(/^error: /, '').replaceAll(EOL, ' ');

const createProgram = (version: string, context: CommandContext): Command => {
  const program = new Command('nest-redis-lock')
    .description('Locks of nest-redis-lock on a Redis server: see them, release them, run commands under them.')
    .version(version)
    .option('--url <url>', 'redis:// or rediss:// URL of the server; default: REDIS_URL, or redis://127.0.0.1:6379')
    .option('--sentinel <hosts>', 'Sentinels: host:port,host:port')
    .option('--master <name>', 'with --sentinel: the name of the master')
    .option('--sentinel-user <name>', 'with --sentinel: user there')
    .option('--cluster <hosts>', 'some servers of a cluster: host:port,host:port')
    .option('--user <name>', 'user; the password comes from REDIS_PASSWORD')
    .option('--tls', 'use TLS')
    .option('--ca <file>', 'TLS: certificate of the authority to trust')
    .option('--cert <file>', 'TLS: certificate to show')
    .option('--key <file>', 'TLS: private key of that certificate')
    .option('--key-prefix <prefix>', "keyPrefix of the module's options")
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES)
    .exitOverride()
    // Written once, with the exit code.
    .configureOutput({ outputError: () => {} });
  for (const add of [addList, addShow, addWatch, addRelease, addRun, addDoctor]) add(program, context);
  return program;
};

/** Runs the command line. Returns the exit code; never rejects. */
export const runProgram = async (
  parameters: readonly string[],
  version: string,
  terminal: Terminal,
  context: Pick<CommandContext, 'environment' | 'isOnTerminal'>,
): Promise<number> => {
  let exitCode: number = ExitCode.ok;
  const finish = async (work: Promise<number>): Promise<void> => {
    exitCode = await work;
  };
  const program = createProgram(version, { ...context, terminal, finish });
  try {
    await program.parseAsync(parameters, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && SHOWN.includes(error.code)) {
      return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    }
    const failure =
      error instanceof CommanderError ? new CommandFailure(sentenceOf(error), ExitCode.usage) : failureOf(error);
    const isDefault = failure.exitCode === ExitCode.unavailable && isAtDefault(program.opts(), context.environment);
    terminal.say(isDefault ? `${failure.message}; ${NO_PLACE}` : failure.message);
    return failure.exitCode;
  }
};
