/** The major version of Nest in this process. */
export const nestMajor = (): number => Number(process.env['MATRIX_NEST']);
