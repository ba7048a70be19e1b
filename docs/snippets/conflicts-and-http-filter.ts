import { type ArgumentsHost, Catch, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { LockError, type LockErrorResponse, LockExceptionFilter, RedisLockModule } from 'nest-redis-lock';

const GERMAN: Readonly<Record<string, string>> = {
  LOCK_TIMEOUT: 'Der Vorgang ist gerade in Bearbeitung, bitte später noch einmal',
};

@Catch(LockError)
export class GermanLockFilter extends LockExceptionFilter {
  protected override responseTo(error: LockError, host: ArgumentsHost): LockErrorResponse {
    const response = super.responseTo(error, host);
    return { ...response, message: GERMAN[error.code] ?? response.message };
  }
}

@Module({
  imports: [RedisLockModule.forRoot({ keyPrefix: 'shop:lock:', exceptionFilter: false })],
  providers: [{ provide: APP_FILTER, useClass: GermanLockFilter }],
})
export class AppModule {}
