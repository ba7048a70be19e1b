/**
 * The variables that any environment has.
 * Others of the tests' environment change what a command prints: CI, TERM, NO_COLOR, REDIS_URL.
 */
export const plainEnvironment = (): NodeJS.ProcessEnv => {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
};
