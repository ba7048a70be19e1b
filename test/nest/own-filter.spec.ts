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
  type LockErrorResponse,
  LockExceptionFilter,
  LockTimeoutError,
} from 'nest-redis-lock';
import type { RedisLockModuleExtras } from 'nest-redis-lock/advanced';
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

@Catch(LockTimeoutError)
class Localised extends LockExceptionFilter {
  protected override responseTo(error: LockError, host: ArgumentsHost): LockErrorResponse {
    const language = host.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers['accept-language'];
    return { ...super.responseTo(error, host), message: `${language}: ${error.code}`, retryAfter: 7 };
  }
}

describe.each(adapters)('A filter of the application on %s', (_, adapter) => {
  const asked = async (metadata: ModuleMetadata, extras?: RedisLockModuleExtras, filter?: typeof Own) => {
    const { app, url } = await serve(adapter, metadata, { connection: 'memory', ...extras }, true, (made) => {
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

  it('may answer in the language of the caller', async () => {
    const metadata = { controllers: [Errors], providers: [{ provide: APP_FILTER, useClass: Localised }] };
    const { app, url } = await serve(adapter, metadata, { connection: 'memory', exceptionFilter: false });
    const response = await fetch(`${url}/timeout`, { headers: { 'accept-language': 'de' } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '7']);
    await expect(response.json()).resolves.toEqual({
      statusCode: 503,
      error: 'LOCK_TIMEOUT',
      message: 'de: LOCK_TIMEOUT',
    });
    await app.close();
  });
});
