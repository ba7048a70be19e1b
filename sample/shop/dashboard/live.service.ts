import { Injectable, type MessageEvent } from '@nestjs/common';
import { catchError, exhaustMap, from, map, type Observable, of, share, timer } from 'rxjs';
import { ShutdownSignal } from '../shutdown-signal.js';
import { SnapshotService } from './snapshot.service.js';

const EVERY_MS = 250;

/** A stream of snapshots, shared by all pages; idle without pages. */
@Injectable()
export class LiveService {
  readonly events: Observable<MessageEvent>;

  constructor(snapshots: SnapshotService, shutdown: ShutdownSignal) {
    this.events = timer(0, EVERY_MS).pipe(
      // Waits for the previous snapshot, so that requests do not pile up on a slow server.
      exhaustMap(() =>
        from(snapshots.take()).pipe(
          map((snapshot): MessageEvent => ({ type: 'snapshot', data: snapshot })),
          catchError((error: Error) => of<MessageEvent>({ type: 'trouble', data: { reason: error.message } })),
        ),
      ),
      shutdown.untilShutdown(),
      share(),
    );
  }
}
