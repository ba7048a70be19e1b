import { invalidOption } from '../validation/options.js';

const FACTORIES = ['useFactory', 'useClass', 'useExisting'] as const;

/**
 * Checks that options of a `forRootAsync()` name what makes the options of the module.
 * @throws LockOptionsError
 */
export const assertFactory = (options: unknown, module: string): void => {
  const given: object = typeof options === 'object' && options !== null ? options : {};
  if (FACTORIES.some((factory) => Reflect.get(given, factory) !== undefined)) return;
  throw invalidOption(`the options of ${module}.forRootAsync()`, options, `an object with ${FACTORIES.join(' or ')}`);
};
