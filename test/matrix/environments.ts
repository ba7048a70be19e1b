import { join } from 'node:path';

export type Format = 'cjs' | 'esm';

/** A version of Nest with its packages, and one of the two module formats. */
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

/** The folder with the packages of a version of Nest. */
export const folderOf = (nest: Environment['nest']): string => join(__dirname, `nest-${nest}`);

/** The folder of the compiled suite, below the packages that it uses. */
export const suiteOf = ({ nest, format }: Environment): string => join(folderOf(nest), '.suite', format);
