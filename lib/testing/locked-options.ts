import { declarationOf, type LockDeclaration } from '../decorators/decorated-method.js';
import { LockOptionsError } from '../errors.js';
import { formatValue } from '../validation/format-value.js';

/**
 * Options that `@Locked` or `@SingleFlight` was given for a method, to assert what is locked. Of several, the outermost.
 * @throws LockOptionsError for a value without such a decorator.
 *
 * @example
 * expect(lockedOptions(OrderService.prototype.pay)).toMatchObject({ key: 'order:<0>', options: { wait: '3s' } });
 */
export const lockedOptions = (method: (...args: never[]) => unknown): LockDeclaration => {
  const given: unknown = method;
  const declared = typeof given === 'function' ? declarationOf(given) : undefined;
  if (declared) return declared;
  throw new LockOptionsError(
    `lockedOptions() needs a method with @Locked, such as OrderService.prototype.pay, not ${formatValue(given)}`,
    { details: { value: given } },
  );
};
