import { usage } from '../../errors.ts';
import { named } from './refused.ts';

/** A field of the body, and what gives it. */
export interface Claim {
  readonly path: readonly string[];
  readonly by: string;
}

/** No two may give the same field, nor one a field and another a part of it. */
export function refuseConflicts(claims: readonly Claim[]): void {
  const given = new Map<string, Claim>();
  for (const claim of claims) {
    const field = claim.path.join('.');
    const other = given.get(field);
    if (other) throw conflict(other, claim, `the field ${named(field)}`);
    given.set(field, claim);
  }
  for (const claim of claims) {
    const wholes = claim.path.slice(1).map((_, at) => claim.path.slice(0, at + 1).join('.'));
    const whole = wholes.find((field) => given.has(field));
    const other = whole === undefined ? undefined : given.get(whole);
    if (whole !== undefined && other) throw conflict(other, claim, `the field ${named(whole)} and a part of it`);
  }
}

/** The same name with two flags that cannot both be meant, or twice with one. */
export function refuseTwice(name: string, flag: string, other: string): never {
  const message =
    flag === other ? `${named(name)} is named twice by ${flag}` : `${named(name)} is named by ${flag} and by ${other}`;
  throw usage(message, 'name it once');
}

function conflict(one: Claim, other: Claim, what: string): Error {
  return usage(`${one.by} and ${other.by} both give ${what}`, 'leave one out, with --drop if it comes from the input');
}
