import { Body, ConflictException, Controller, Delete, GoneException, HttpCode, Param, Post, Put } from '@nestjs/common';
import { lockName, LockService } from 'nest-redis-lock';

/** Your guard knows the user; a request must not be able to name another one. */
interface Editor {
  readonly user: string;
}

/** Longer than two heartbeats of the browser. */
const LEASE = '2m';

/** Who edits a document: one user at a time, in as many tabs and on as many servers as there are. */
@Controller('documents/:id/editor')
export class DocumentEditorController {
  constructor(private readonly locks: LockService) {}

  @Put()
  async open(@Param('id') id: string, @Body() { user }: Editor): Promise<{ readonly fence: string }> {
    const hold = await this.locks.tryAcquire(lockOf(id), { owner: user, lease: LEASE, fenced: true });
    if (!hold) throw new ConflictException({ editor: await this.editorOf(id) });
    return { fence: String(hold.fence) }; // a save that brings a smaller one is refused
  }

  @Post('heartbeats')
  @HttpCode(204)
  async extend(@Param('id') id: string, @Body() { user }: Editor): Promise<void> {
    const isEditor = await this.locks.extend({ name: lockOf(id), owner: user }, LEASE);
    if (!isEditor) throw new GoneException({ editor: await this.editorOf(id) });
  }

  @Post('take-over')
  async takeOver(@Param('id') id: string, @Body() editor: Editor): Promise<{ readonly fence: string }> {
    const before = await this.editorOf(id);
    if (before !== undefined) await this.locks.release({ name: lockOf(id), owner: before });
    return this.open(id, editor);
  }

  @Delete()
  @HttpCode(204)
  async close(@Param('id') id: string, @Body() { user }: Editor): Promise<void> {
    await this.locks.release({ name: lockOf(id), owner: user });
  }

  private async editorOf(id: string): Promise<string | undefined> {
    const { holders } = await this.locks.getLock(lockOf(id)).inspect();
    return holders[0]?.owner;
  }
}

const lockOf = (id: string): string => lockName`document:${id}`;
