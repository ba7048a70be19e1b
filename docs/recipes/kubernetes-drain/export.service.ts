import { Injectable } from '@nestjs/common';
import { CurrentHold, type Hold, Locked } from 'nest-redis-lock';

/** The work in parts, each short against `shutdownTimeout`, and a record of those that are done. */
export abstract class ExportParts {
  /** The first part that is not done; undefined if all are. */
  abstract next(month: string): Promise<number | undefined>;
  /** Exports one part and records that it is done. */
  abstract export(month: string, part: number): Promise<void>;
}

@Injectable()
export class ExportService {
  constructor(private readonly parts: ExportParts) {}

  @Locked('export:<0>', { wait: '1m' })
  async run(month: string, @CurrentHold() hold?: Hold): Promise<'done' | 'to be continued'> {
    for (;;) {
      const part = await this.parts.next(month);
      if (part === undefined) return 'done';
      if (hold?.signal.aborted) return 'to be continued'; // the next pod goes on with this part
      await this.parts.export(month, part);
    }
  }
}
