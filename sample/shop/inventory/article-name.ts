import { Matches } from 'class-validator';

/** For names of warehouses and articles: without the `/` that stands between the two in keys. */
export const IsArticleName = (): PropertyDecorator =>
  Matches(/^[a-z0-9-]{1,40}$/i, { message: '$property must be 1 to 40 letters, digits or hyphens' });
