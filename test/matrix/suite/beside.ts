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
import { Room } from './room.js';

const ROLE = 'role';

/** Lets in only where it finds what a decorator beside `@Locked` put on the method. */
@Injectable()
export class RoleGuard implements CanActivate {
  constructor(
    @Inject(Room) private readonly room: Room,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const role = this.reflector.get<string | undefined>(ROLE, context.getHandler());
    this.room.note(`guard: ${role}`);
    return role === 'cashier';
  }
}

@Injectable()
export class Notes implements NestInterceptor {
  constructor(@Inject(Room) private readonly room: Room) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.room.note('interceptor');
    return next.handle().pipe(tap({ complete: () => this.room.note('interceptor, after') }));
  }
}

/** Makes 7 of " 007", wherever a transport puts it. */
@Injectable()
export class NumberPipe implements PipeTransform<unknown, number> {
  constructor(@Inject(Room) private readonly room: Room) {}

  transform(value: unknown): number {
    this.room.note('pipe');
    const id = Number(String(value).trim());
    if (Number.isNaN(id)) throw new TypeError(`Not a number: ${String(value)}`);
    return id;
  }
}

/** What Nest runs around a handler, to stand beside `@Locked` on the method itself. */
export const Beside = (filter: Type<ExceptionFilter>): MethodDecorator =>
  applyDecorators(SetMetadata(ROLE, 'cashier'), UseGuards(RoleGuard), UseInterceptors(Notes), UseFilters(filter));

/** What a call that goes well leaves in the journal. */
export const goodCall = (id: number): string[] => [
  'guard: cashier',
  'interceptor',
  'pipe',
  `method: order:${id}`,
  'interceptor, after',
];

/** What a call that fails leaves there. */
export const badCall = (id: number): string[] => [...goodCall(id).slice(0, -1), 'filter'];
