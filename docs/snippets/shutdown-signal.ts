import { Injectable } from '@nestjs/common';
import { CurrentHold, type Hold, Locked } from 'nest-redis-lock';

@Injectable()
export class ImportService {
  @Locked('import:<0>')
  async import(file: string, @CurrentHold() hold?: Hold): Promise<void> {
    for (const line of await this.lines(file)) {
      if (hold?.signal.aborted) break; // the lock was lost, or the time to shut down is nearly over
      await this.store(line);
    }
  }

  private async lines(file: string): Promise<readonly string[]> {
    return [file];
  }

  private async store(line: string): Promise<void> {
    await fetch('https://store.example', { method: 'POST', body: line });
  }
}
