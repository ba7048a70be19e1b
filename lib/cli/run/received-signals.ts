/** The signals by which users and supervisors end a command, and those that commands have a use of their own for. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'];
/** A terminal sends these to the command itself. Twice, they would mean: at once, without cleaning up. */
const OF_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/** Keeps signals from ending this process, and passes them on. */
export class ReceivedSignals {
  private readonly controller = new AbortController();
  private receiver: ((signal: NodeJS.Signals) => void) | undefined;
  /** The first one that was to end this process before there was a receiver. */
  first: NodeJS.Signals | undefined;

  constructor(private readonly isOnTerminal: boolean) {
    for (const signal of FORWARDED) process.on(signal, this.receive);
  }

  /** Aborts when this process is to end before there is a receiver. */
  get ending(): AbortSignal {
    return this.controller.signal;
  }

  /** From now on signals go to `receiver`. */
  forwardTo(receiver: (signal: NodeJS.Signals) => void): void {
    this.receiver = receiver;
  }

  /** Signals have their usual effect again. */
  stop(): void {
    for (const signal of FORWARDED) process.off(signal, this.receive);
  }

  private readonly receive = (signal: NodeJS.Signals): void => {
    if (this.receiver !== undefined) {
      if (!this.isOnTerminal || !OF_TERMINAL.includes(signal)) this.receiver(signal);
      return;
    }
    if (!ENDING.includes(signal)) return;
    this.first ??= signal;
    this.controller.abort();
  };
}
