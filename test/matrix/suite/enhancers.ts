import {
  applyDecorators,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  Inject,
  Injectable,
  type NestInterceptor,
  type PipeTransform,
  SetMetadata,
  type Type,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Observable, tap } from 'rxjs';
import { ConcurrencyProbe } from './concurrency-probe.js';

const ROLE = 'role';

/** Admits a call only if it finds the metadata that a decorator beside `@Locked` set on the method. */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(
    @Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string | undefined>(ROLE, context.getHandler());
    this.probe.record(`guard: ${role}`);
    return role === 'cashier';
  }
}

@Injectable()
export class JournalInterceptor implements NestInterceptor {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.probe.record('interceptor');
    return next.handle().pipe(tap({ complete: () => this.probe.record('interceptor, after') }));
  }
}

/** Makes 7 of " 007" on every transport. */
@Injectable()
export class NumberPipe implements PipeTransform<unknown, number> {
  constructor(@Inject(ConcurrencyProbe) private readonly probe: ConcurrencyProbe) {}

  transform(value: unknown): number {
    this.probe.record('pipe');
    const id = Number(String(value).trim());
    if (Number.isNaN(id)) throw new TypeError(`Not a number: ${String(value)}`);
    return id;
  }
}

/** Puts enhancers of Nest (guard, interceptor, filter) beside `@Locked` on a method. */
export const WithEnhancers = (filter: Type<ExceptionFilter>): MethodDecorator =>
  applyDecorators(
    SetMetadata(ROLE, 'cashier'),
    UseGuards(RoleGuard),
    UseInterceptors(JournalInterceptor),
    UseFilters(filter),
  );

/** The journal of a call that succeeds. */
export const journalOfSuccess = (id: number): string[] => [
  'guard: cashier',
  'interceptor',
  'pipe',
  `method: order:${id}`,
  'interceptor, after',
];

/** The journal of a call that fails. */
export const journalOfFailure = (id: number): string[] => [...journalOfSuccess(id).slice(0, -1), 'filter'];
