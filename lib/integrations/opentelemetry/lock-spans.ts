import {
  type Attributes,
  context,
  type Context,
  diag,
  type Link,
  type Span,
  SpanStatusCode,
  type Tracer,
} from '@opentelemetry/api';
import { LockConflictError, messageOf } from '../../errors.js';
import type { HoldTrace, WaitTrace } from '../../events/hold-tracing.js';
import type { OfLock } from '../../events/life-cycle-events.js';

/** Where an acquisition was called, and its span. */
interface Origin {
  readonly caller: Context;
  readonly span: Span;
}

/** The acquisitions and holds that have a span of some tracer: a second tracer makes no other. */
const traced = new WeakSet<object>();

/** The spans of acquisitions and holds. */
export class LockSpans {
  private readonly open = new Map<object, Span>();
  private readonly origins = new WeakMap<WaitTrace, Origin>();

  constructor(private readonly tracer: Tracer) {}

  /** To be called in the context of the caller. */
  beginWait(wait: WaitTrace): void {
    const caller = context.active();
    const span = this.begin('acquire', wait, caller);
    if (span) this.origins.set(wait, { caller, span });
  }

  endWait(wait: WaitTrace): void {
    const { owner, isContended, isReentry = false, error } = wait;
    this.end(wait, error, {
      'nest_redis_lock.contended': isContended,
      'nest_redis_lock.reentry': isReentry,
      ...(owner !== undefined && { 'nest_redis_lock.owner': owner }),
    });
  }

  beginHold(hold: HoldTrace): void {
    const origin = hold.wait && this.origins.get(hold.wait);
    const links = origin && [{ context: origin.span.spanContext() }];
    const span = this.begin('hold', hold, origin?.caller ?? context.active(), links);
    if (hold.owner !== undefined) span?.setAttribute('nest_redis_lock.owner', hold.owner);
  }

  endHold(hold: HoldTrace): void {
    this.end(hold, hold.error, {});
  }

  /** A hold may go on; its span ends here. */
  endAll(): void {
    for (const trace of this.open.keys()) {
      try {
        this.end(trace, undefined, {});
      } catch (error) {
        diag.error('nest-redis-lock: a span was not ended', error);
      }
    }
  }

  private begin(what: string, trace: OfLock, parent: Context, links: Link[] = []): Span | undefined {
    if (traced.has(trace)) return undefined;
    traced.add(trace);
    const { connection, kind, template, method } = trace;
    const attributes: Attributes = {
      'nest_redis_lock.connection': connection,
      'nest_redis_lock.kind': kind,
      ...(template !== undefined && { 'nest_redis_lock.template': template }),
      ...(method !== undefined && { 'nest_redis_lock.method': method }),
    };
    const name = template === undefined ? `${what} lock` : `${what} lock ${template}`;
    const span = this.tracer.startSpan(name, { attributes, links }, parent);
    this.open.set(trace, span);
    return span;
  }

  private end(trace: object, error: unknown, attributes: Attributes): void {
    const span = this.open.get(trace);
    if (!span) return;
    this.open.delete(trace);
    span.setAttributes(attributes);
    if (error !== undefined) this.fail(span, error);
    span.end();
  }

  private fail(span: Span, error: unknown): void {
    span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
    // Another caller has the lock, and this one did not want to wait: that is an answer, not a failure.
    if (error instanceof LockConflictError) return;
    span.recordException(error instanceof Error ? error : messageOf(error));
    span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
  }
}
