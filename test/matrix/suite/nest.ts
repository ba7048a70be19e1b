/** The major version of Nest that this process has. */
export const nestMajor = (): number => Number(process.env['MATRIX_NEST']);
