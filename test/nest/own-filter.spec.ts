import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Inject,
  Injectable,
  type ModuleMetadata,
  UseFilters,
} from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import {
  LockConflictError,
  type LockError,
  LockExceptionFilter,
  LockTimeoutError,
  type RedisLockModuleExtras,
} from 'nest-redis-lock';
import { adapters, serve } from './applications.js';

@Controller()
class Errors {
  @Get('conflict')
  conflict(): void {
    throw new LockConflictError('somebody has it');
  }

  @Get('timeout')
  timeout(): void {
    throw new LockTimeoutError('somebody had it for too long');
  }
}

@Catch(LockConflictError)
class Own implements ExceptionFilter<LockConflictError> {
  constructor(@Inject(HttpAdapterHost) private readonly host: HttpAdapterHost) {}

  catch(error: LockConflictError, host: ArgumentsHost): void {
    this.host.httpAdapter.reply(host.switchToHttp().getResponse(), error.code, 418);
  }
}

@Controller()
@UseFilters(Own)
class OwnErrors extends Errors {}

interface WithHeaders {
  header(name: string, value: string): unknown;
}

@Injectable()
class Extended extends LockExceptionFilter {
  override catch(error: LockError, host: ArgumentsHost) {
    host.switchToHttp().getResponse<WithHeaders>().header('x-code', error.code);
    return super.catch.call(this, error, host);
  }
}

describe.each(adapters)('A filter of the application on %s', (_, adapter) => {
  const asked = async (metadata: ModuleMetadata, extras?: RedisLockModuleExtras, filter?: typeof Own) => {
    const { app, url } = await serve(adapter, metadata, { backend: 'memory', ...extras }, true, (made) => {
      if (filter) made.useGlobalFilters(new filter(made.get(HttpAdapterHost)));
    });
    const answers = await Promise.all(['conflict', 'timeout'].map((path) => fetch(`${url}/${path}`)));
    await app.close();
    return answers.map(({ status, headers }) => [status, headers.get('x-code')]);
  };
  const conflictsByOwn = [
    [418, null],
    [503, null],
  ];

  it("precedes the library's if it is bound to a controller or a handler", async () => {
    await expect(asked({ controllers: [OwnErrors] })).resolves.toEqual(conflictsByOwn);
  });

  it("precedes the library's with useGlobalFilters", async () => {
    await expect(asked({ controllers: [Errors] }, {}, Own)).resolves.toEqual(conflictsByOwn);
  });

  it("replaces the library's as APP_FILTER with exceptionFilter: false, and may extend it", async () => {
    const metadata = { controllers: [Errors], providers: [{ provide: APP_FILTER, useClass: Extended }] };
    await expect(asked(metadata, { exceptionFilter: false })).resolves.toEqual([
      [409, 'LOCK_CONFLICT'],
      [503, 'LOCK_TIMEOUT'],
    ]);
  });
});
