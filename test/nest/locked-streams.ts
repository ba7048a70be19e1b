import { Injectable } from '@nestjs/common';
import { Locked, LockService } from 'nest-redis-lock';
import { concat, defer, map, Observable, of, range, Subject, tap, throwError } from 'rxjs';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

@Injectable()
export class LockedStreams {
  readonly events = new Subject<string>();
  /** The number of runs of the body of a method. */
  runs = 0;

  constructor(
    private readonly locks: LockService,
    private readonly probe: ConcurrencyProbe,
  ) {}

  @Locked('stream:<0>')
  declared(_id: string): Observable<string> {
    return this.follow();
  }

  // A method without a declared type has none at run time.
  @Locked('stream:<0>', { returns: 'observable' })
  byOption(_id: string) {
    return this.follow();
  }

  @Locked('stream:<0>')
  enters(id: string): Observable<string> {
    return defer(() => this.probe.enter(id));
  }

  @Locked('stream:<0>')
  holds(_id: string): Observable<string | undefined> {
    const current = () => this.locks.currentHold()?.name;
    const atSubscription = defer(() => of(current()));
    const afterWork = defer(() => this.probe.enter('work')).pipe(map(current));
    return concat(atSubscription, afterWork, this.events.pipe(map(current)));
  }

  @Locked('stream:<0>')
  throws(_id: string, error: Error): Observable<string> {
    throw error;
  }

  @Locked('stream:<0>', { returns: 'observable' })
  fails(_id: string, error: Error) {
    return throwError(() => error);
  }

  @Locked('stream:<0>')
  endless(_id: string): Observable<number> {
    // The second number ends a test in which nothing else ends the stream.
    return range(0, 1000).pipe(tap(() => (this.runs += 1)));
  }

  @(Locked('stream:<0>', { returns: 'observable' }) as MethodDecorator)
  none(_id: string): Observable<string> {
    return 'no Observable' as unknown as Observable<string>;
  }

  @Locked('stream:<0>', { onConflict: 'skip' })
  skips(_id: string): Observable<string | undefined> {
    return this.follow();
  }

  @Locked('stream:<0>', { onConflict: ({ args, error }) => [args, error.name] })
  answers(_id: string): Observable<unknown> {
    return this.follow();
  }

  @Locked('stream:<0>', { onConflict: () => of('cached', 'values') })
  replays(_id: string): Observable<string> {
    return this.follow();
  }

  @Locked('stream:<0>', { wait: 0 })
  impatient(_id: string): Observable<string> {
    return this.follow();
  }

  // Nest unwraps a promised Observable in every handler. The lock is held by the time the promise resolves.
  @Locked('stream:<0>')
  async promised(_id: string): Promise<Observable<string>> {
    await this.probe.enter('before');
    return this.follow();
  }

  private follow(): Observable<string> {
    this.runs += 1;
    return this.events;
  }
}
