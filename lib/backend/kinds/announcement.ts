import type { PublishCommand, ScriptExecutor } from '../commands/script-executor.js';

/** Arguments by which a script announces a change; without a command, it announces nothing. */
export interface Announcement {
  readonly channel: string;
  readonly publish: PublishCommand | '';
}

export const announcementOn = (commands: ScriptExecutor, channel: string, silent = false): Announcement => ({
  channel,
  publish: silent ? '' : commands.publishCommand(channel),
});
