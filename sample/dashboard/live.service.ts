import { Injectable, type MessageEvent } from '@nestjs/common';
import { catchError, exhaustMap, from, map, type Observable, of, share, timer } from 'rxjs';
import { Closing } from '../closing.js';
import { SnapshotService } from './snapshot.service.js';

const EVERY_MS = 250;

/** Snapshots one after the other, the same for all who look, and none where nobody does. */
@Injectable()
export class LiveService {
  readonly events: Observable<MessageEvent>;

  constructor(snapshots: SnapshotService, closing: Closing) {
    this.events = timer(0, EVERY_MS).pipe(
      // Only when the one before is there: a slow server must not be asked more and more.
      exhaustMap(() =>
        from(snapshots.take()).pipe(
          map((snapshot): MessageEvent => ({ type: 'snapshot', data: snapshot })),
          catchError((error: Error) => of<MessageEvent>({ type: 'trouble', data: { reason: error.message } })),
        ),
      ),
      closing.untilThen(),
      share(),
    );
  }
}
