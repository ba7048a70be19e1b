import * as nest from '@nestjs/common';
import { type ErrorClass, isErrorClass } from '../coordination/error-codec.js';

/** Nest's own, such as `NotFoundException`: what is thrown in another process is answered in the same way here. */
export const HTTP_ERRORS: readonly ErrorClass[] = Object.values<unknown>(nest).filter(isErrorClass);
