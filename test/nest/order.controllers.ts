import {
  Body,
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  Headers,
  HttpCode,
  Inject,
  Injectable,
  type NestInterceptor,
  NotFoundException,
  Param,
  type PipeTransform,
  Post,
  Scope,
  SetMetadata,
  UseGuards,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { REQUEST, Reflector } from '@nestjs/core';
import { Type } from 'class-transformer';
import { IsInt, IsString, ValidateNested } from 'class-validator';
import { Locked, LockService } from 'nest-redis-lock';
import { map, type Observable } from 'rxjs';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

class LineDto {
  @IsString()
  readonly sku: string = '';
}

class OrderDto {
  @IsInt()
  @Type(() => Number)
  readonly id: number = 0;

  @ValidateNested({ each: true })
  @Type(() => LineDto)
  readonly lines: readonly LineDto[] = [];
}

const validation = new ValidationPipe({ transform: true });

@Injectable()
class NumberPipe implements PipeTransform<string, number> {
  transform(value: string): number {
    return Number(value.trim());
  }
}

/** The role, name and length of each handler that the guard saw. */
export const seenByGuard: unknown[] = [];

@Injectable()
class RoleGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    seenByGuard.push([this.reflector.get('role', handler), handler.name, handler.length]);
    return true;
  }
}

@Injectable()
class Wrapping implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((result: unknown) => ({ wrapped: result })));
  }
}

@Controller('orders')
export class OrderController {
  constructor(
    private readonly locks: LockService,
    private readonly probe: ConcurrencyProbe,
  ) {}

  @Locked('order:<0>')
  @Get('above/:id')
  @HttpCode(202)
  @Header('x-stock', 'kept')
  @SetMetadata('role', 'buyer')
  @UseGuards(RoleGuard)
  @UseInterceptors(Wrapping)
  async above(@Param('id', NumberPipe) id: number): Promise<unknown> {
    return { id, lock: this.locks.currentHold()?.name };
  }

  @UseInterceptors(Wrapping)
  @UseGuards(RoleGuard)
  @SetMetadata('role', 'seller')
  @Header('x-stock', 'kept')
  @HttpCode(202)
  @Get('below/:id')
  @Locked('order:<0>')
  async below(@Param('id', NumberPipe) id: number): Promise<unknown> {
    return { id, lock: this.locks.currentHold()?.name };
  }

  @Get('between/:id')
  @UseGuards(RoleGuard)
  @UseInterceptors(Wrapping)
  @Locked('order:<0>')
  @SetMetadata('role', 'carrier')
  @Header('x-stock', 'kept')
  @HttpCode(202)
  async between(@Param('id', NumberPipe) id: number): Promise<unknown> {
    return { id, lock: this.locks.currentHold()?.name };
  }

  @Post()
  @Locked('<0>:order:<1.id>')
  async create(@Headers('x-tenant') tenant: string, @Body(validation) order: OrderDto): Promise<unknown> {
    return { tenant, isOrder: order instanceof OrderDto, lock: this.locks.currentHold()?.name };
  }

  @Post('reserve')
  @Locked('stock:<0.lines.sku>')
  async reserve(@Body(validation) order: OrderDto): Promise<unknown> {
    return order.lines.map(({ sku }) => this.locks.currentHold(`stock:${sku}`)?.name);
  }

  @Get('visit/:id')
  @Locked('order:<0>')
  async visit(@Param('id') id: string): Promise<string> {
    return this.probe.enter(id);
  }

  @Get('missing/:id')
  @Locked('order:<0>')
  async missing(@Param('id') id: string): Promise<string> {
    throw new NotFoundException(`There is no order ${id}`);
  }
}

@Controller({ path: 'mine', scope: Scope.REQUEST })
export class RequestController {
  constructor(
    @Inject(REQUEST) private readonly request: { readonly headers: Readonly<Record<string, string>> },
    private readonly probe: ConcurrencyProbe,
  ) {}

  @Get(':id')
  @Locked('order:<0>')
  async own(@Param('id') _id: string): Promise<unknown> {
    return { user: await this.probe.enter(this.request.headers['x-user']) };
  }
}
