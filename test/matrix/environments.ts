import { join } from 'node:path';

export type Format = 'cjs' | 'esm';

/** One Nest with everything of its own, and one of the two ways to load it. */
export interface Environment {
  readonly nest: '11' | '12';
  readonly format: Format;
}

export const NESTS = ['11', '12'] as const;
export const FORMATS = ['cjs', 'esm'] as const;

export const environments: readonly Environment[] = NESTS.flatMap((nest) =>
  FORMATS.map((format) => ({ nest, format })),
);

export const nameOf = ({ nest, format }: Environment): string => `Nest ${nest} ${format.toUpperCase()}`;

/** Where the packages of a Nest are installed. */
export const folderOf = (nest: Environment['nest']): string => join(__dirname, `nest-${nest}`);

/** Where the suite is compiled to, below the packages it is to find. */
export const suiteOf = ({ nest, format }: Environment): string => join(folderOf(nest), '.suite', format);
