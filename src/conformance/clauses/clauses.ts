import type { Clause } from '../verdict.ts';
import { endpointClauses } from './endpoints.ts';
import { errorClauses, keyClauses } from './refusals.ts';
import { serviceClauses, versionClauses } from './service.ts';
import { hiddenClauses, observedClauses } from './unprovoked.ts';

/** All that the document states, in its own order. */
export const clauses: readonly Clause[] = [
  ...serviceClauses,
  ...endpointClauses,
  ...keyClauses,
  ...errorClauses,
  ...observedClauses,
  ...versionClauses,
  ...hiddenClauses,
].sort((one, other) => chapterOf(one) - chapterOf(other));

function chapterOf({ section }: Clause): number {
  // Where it is said of several, it stands with the first.
  return Number(/\d+/.exec(section)?.[0]);
}
