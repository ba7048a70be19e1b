import type { ChaosCase } from '../case.js';
import { clientCases } from './clients.js';
import { clockCases } from './clocks.js';
import { connectionCases } from './connections.js';
import { controlCases } from './control.js';
import { fairGrantCases } from './fair-grants.js';
import { grantLoadCases } from './grant-loads.js';
import { grantServerCases } from './grant-servers.js';
import { grantCases } from './grants.js';
import { withoutGrants } from './grants-off.js';
import { masterCases } from './masters.js';
import { ownerCases } from './owners.js';
import { processCases } from './processes.js';
import { protectionCases } from './protections.js';
import { quietCases } from './quiet.js';
import { replyCases } from './replies.js';
import { serverCases } from './servers.js';
import { topologyCases } from './topologies.js';

const numberOf = ({ id }: ChaosCase): number => Number(/\d+/.exec(id)?.[0]);

const withGrants: readonly ChaosCase[] = [
  ...quietCases,
  ...replyCases,
  ...connectionCases,
  ...serverCases,
  ...topologyCases,
  ...processCases,
  ...clientCases,
  ...clockCases,
  ...masterCases,
  ...protectionCases,
  ...ownerCases,
  ...grantCases,
  ...fairGrantCases,
  ...grantLoadCases,
  ...grantServerCases,
  ...controlCases,
];

/** All cases, in the order of the fault catalogue. */
export const cases: readonly ChaosCase[] = [...withGrants, ...withoutGrants(withGrants)].toSorted(
  (a, b) => numberOf(a) - numberOf(b),
);
