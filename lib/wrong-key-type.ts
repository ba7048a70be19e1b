import { WrongKeyTypeError } from './errors.js';

/** @param found What lives under the name, as the backend calls it. */
export const wrongKeyType = (name: string, found: string): WrongKeyTypeError =>
  new WrongKeyTypeError(
    `The key "${name}" holds a ${found}, which belongs to something else; choose another name or a key prefix for locks`,
    { lockName: name, details: { found } },
  );
