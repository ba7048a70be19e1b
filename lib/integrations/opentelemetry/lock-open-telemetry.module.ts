import { Module } from '@nestjs/common';
import { observingModule } from '../metrics/observing-module.js';
import { observeLocks, type OpenTelemetryOptions } from './observe-locks.js';

/**
 * {@link observeLocks} for the application's `LockService`, from its start to its shutdown. Without options, the meter and
 * tracer are those of the registered SDK. Of a `RedisLockModule` that is not global, name it in `imports` of
 * `forRootAsync`.
 */
@Module({})
export class LockOpenTelemetryModule extends observingModule<OpenTelemetryOptions>(
  'LockOpenTelemetryModule',
  observeLocks,
) {}
