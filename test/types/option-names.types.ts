/**
 * Tables of options that must compile or not. Nothing here runs: the check is `npm run typecheck`, where a line after
 * `@ts-expect-error` that compiles is an error.
 */
import { namesOf } from '../../lib/validation/options.js';

interface Leased {
  readonly lease?: number | undefined;
  readonly renew?: boolean | undefined;
}

type Waiting = Leased & ({ readonly wait?: number } | { readonly wait?: undefined; readonly signal: AbortSignal });

const leased = namesOf<Leased>()('renew', 'lease');
const waiting = namesOf<Waiting>()(...leased, 'wait', 'signal');

export const refused = (): void => {
  // @ts-expect-error one is missing
  namesOf<Leased>()('lease');
  // @ts-expect-error there is no such option
  namesOf<Leased>()('lease', 'renew', 'wait');
  // @ts-expect-error nor among those of another table
  namesOf<Leased>()(...waiting);
  // @ts-expect-error one is missing that only some of a union have
  namesOf<Waiting>()(...leased, 'wait');
};
