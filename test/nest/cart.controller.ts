import { PassThrough } from 'node:stream';
import {
  BadRequestException,
  type CallHandler,
  ConflictException,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type MessageEvent,
  type NestInterceptor,
  Param,
  type PipeTransform,
  Res,
  Sse,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { LockedHandler, lockHandler, lockName, LockNameError, LockService } from 'nest-redis-lock';
import { type Observable, Subject, tap } from 'rxjs';
import { Gate } from '../kit/gate.js';
import { ConcurrencyProbe } from '../kit/concurrency-probe.js';

/** Records the lock that each part of a request saw. */
@Injectable()
export class Witness {
  readonly statements: string[] = [];

  constructor(private readonly locks: LockService) {}

  state(place: string): void {
    this.statements.push(`${place}: ${this.locks.currentHold()?.name ?? 'no lock'}`);
  }
}

@Injectable()
class Outer implements NestInterceptor {
  constructor(private readonly witness: Witness) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.witness.state('outer interceptor');
    return next.handle().pipe(tap(() => this.witness.state('outer interceptor, after')));
  }
}

@Injectable()
class Inner implements NestInterceptor {
  constructor(private readonly witness: Witness) {}

  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    this.witness.state('inner interceptor');
    return next.handle().pipe(tap(() => this.witness.state('inner interceptor, after')));
  }
}

@Injectable()
class KnownCart implements PipeTransform<string> {
  constructor(private readonly witness: Witness) {}

  transform(id: string): string {
    this.witness.state('pipe');
    if (id === 'unknown') throw new BadRequestException('No such cart');
    return id;
  }
}

const idOf = (context: ExecutionContext): string =>
  context.switchToHttp().getRequest<{ readonly params: { readonly id: string } }>().params.id;

const cartLock = lockHandler((context) => `cart:${idOf(context)}`);

const badKeys: Readonly<Record<string, () => unknown>> = {
  empty: () => '',
  nothing: () => undefined,
  none: () => [],
  number: () => 7,
  numbers: () => [7, 8],
  tooLong: () => 'x'.repeat(513),
  thrown: () => {
    throw new LockNameError('no cart in the request');
  },
};

interface RawResponse {
  readonly raw?: NodeJS.WritableStream;
  readonly hijack?: () => void;
}

@Controller('carts')
export class CartController {
  readonly busy = new Gate();
  readonly download = new PassThrough();
  readonly events = new Subject<MessageEvent>();
  private readonly bySlowRaw: NodeJS.WritableStream[] = [];

  constructor(
    private readonly locks: LockService,
    private readonly probe: ConcurrencyProbe,
    private readonly witness: Witness,
  ) {}

  @Get(':id/seen')
  @UseInterceptors(Outer, cartLock, Inner)
  seen(@Param('id', KnownCart) id: string): string {
    this.witness.state('handler');
    return id;
  }

  @Get(':id/visit')
  @UseInterceptors(cartLock)
  async visit(@Param('id') id: string): Promise<string> {
    return this.probe.enter(id);
  }

  @Get(':id/several')
  @UseInterceptors(lockHandler((context) => ['stock:b', `cart:${idOf(context)}`]))
  async several(): Promise<unknown> {
    return ['cart:1', 'stock:b'].map((name) => this.locks.currentHold(name)?.name);
  }

  @Get(':id/decorated')
  @UseInterceptors(Outer)
  @LockedHandler((context) => lockName`cart:${idOf(context)}`)
  @UseInterceptors(Inner)
  decorated(@Param('id', KnownCart) id: string): string {
    this.witness.state('handler');
    return id;
  }

  @Get('no-id/unnamed')
  @LockedHandler((context) => lockName`cart:${idOf(context)}`)
  unnamed(): string {
    this.witness.state('handler');
    return 'ran';
  }

  @Get(':id/busy')
  @UseInterceptors(cartLock)
  async stay(): Promise<string> {
    await this.busy.pass();
    return 'done';
  }

  @Get(':id/fail')
  @UseInterceptors(cartLock)
  async fail(): Promise<void> {
    throw new ConflictException('Sold out');
  }

  @Get(':id/download')
  @UseInterceptors(cartLock)
  stream(): StreamableFile {
    this.download.write('first');
    return new StreamableFile(this.download);
  }

  @Get(':id/raw')
  @UseInterceptors(cartLock)
  raw(@Res() response: RawResponse & NodeJS.WritableStream): void {
    response.hijack?.();
    const raw = response.raw ?? response;
    raw.write('first');
    this.bySlowRaw.push(raw);
  }

  endRaw(): void {
    for (const raw of this.bySlowRaw.splice(0)) raw.end('last');
  }

  @Sse(':id/events')
  @UseInterceptors(cartLock)
  listen(): Observable<MessageEvent> {
    return this.events;
  }

  @Get(':id/badly-named')
  @UseInterceptors(lockHandler((context) => badKeys[idOf(context)]?.() as string))
  async badlyNamed(): Promise<void> {
    this.witness.state('handler');
  }

  @Get(':id/impatient')
  @UseInterceptors(lockHandler((context) => `cart:${idOf(context)}`, { wait: 0 }))
  async impatient(): Promise<string> {
    return 'got it';
  }

  @Get(':id/skipped')
  @UseInterceptors(lockHandler((context) => `cart:${idOf(context)}`, { onConflict: 'skip' }))
  async skipped(): Promise<string> {
    return 'got it';
  }

  @Get(':id/answered')
  @UseInterceptors(
    lockHandler((context) => `cart:${idOf(context)}`, { onConflict: ({ args, error }) => [args, error.name] }),
  )
  async answered(): Promise<string> {
    return 'got it';
  }
}
