import { Injectable } from '@nestjs/common';
import { currentHold, Locked } from 'nest-redis-lock';

interface Change {
  readonly commentId: number;
  readonly comment: string;
}

@Injectable()
export class Comments {
  // @Redlock('comments')
  @Locked('comments', { wait: '2s' })
  async export(): Promise<void> {
    currentHold()?.assertHeld(); // the old decorator does not give the method its signal
  }

  // @Redlock((_target, projectId: number) => `projects/${projectId}/comments`, 5000)
  @Locked('projects/<0>/comments', { lease: '5s', renew: true, wait: '2s' })
  async add(_projectId: number, _comment: string): Promise<void> {}

  // @Redlock((_target, id: number, changes: Change[]) => changes.map(({ commentId }) => `projects/${id}/${commentId}`))
  @Locked('projects/<0>/<1.commentId>') // one lock for each element of the list, all or none
  async update(_projectId: number, _changes: readonly Change[]): Promise<void> {}
}
