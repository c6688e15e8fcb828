import { usage } from '../../base/errors.ts';
import { named } from '../input/row.ts';
import type { FieldMap, Split } from './flags.ts';

/**
 * How a row becomes the body of a contact. `map` and `drop` name fields of the input; `split`, `number`, `boolean`,
 * `json` and `phone` name fields of the body, dotted where they nest. Each field stands for itself unless it is mapped; a table's
 * header `a.b` nests, and a record's key `a.b`, which could have nested by itself, is the field "a.b".
 */
export interface ContactMappingOptions {
  readonly map?: readonly FieldMap[];
  readonly set?: readonly Constant[];
  readonly split?: readonly Split[];
  readonly number?: readonly string[];
  readonly boolean?: readonly string[];
  /** Texts that are JSON, into their values. */
  readonly json?: readonly string[];
  readonly drop?: readonly string[];
  readonly phone?: readonly string[];
  /** Whose numbers those are that lack their country's code. */
  readonly country?: string;
}

/** A field that is the same in every body. */
interface Constant {
  readonly key: readonly string[];
  readonly value: string;
}

/** A name, and the flag that gives it. */
export type Named = readonly [flag: string, name: string];

/** Refuses what contradicts itself, whatever the input; nothing has to be read for it. */
export function checkContactMapping(options: ContactMappingOptions): void {
  const { map = [], set = [], drop = [], phone = [], country } = options;
  if (country !== undefined && phone.length === 0)
    throw usage('--country is given without --phone', 'name the field with numbers too, such as --phone phone');
  for (const { from } of map) if (drop.includes(from)) refuseTwice(from, '--map', '--drop');
  refuseConflicts([
    ...map.map(({ from, to }) => ({ path: to, by: `--map ${from}=${to.join('.')}` })),
    ...set.map(({ key }) => ({ path: key, by: `--set ${key.join('.')}` })),
  ]);
  const flags = new Map<string, string>();
  for (const [flag, field] of converted(options)) {
    const other = flags.get(field);
    if (other !== undefined) refuseTwice(field, other, flag);
    flags.set(field, flag);
  }
}

/** The fields of the body that are to become something else, each with its flag. */
export function converted(options: ContactMappingOptions): readonly Named[] {
  const { split = [], number = [], boolean = [], json = [], phone = [] } = options;
  return [
    ...split.map(({ field }) => ['--split', field] as const),
    ...number.map((field) => ['--number', field] as const),
    ...boolean.map((field) => ['--boolean', field] as const),
    ...json.map((field) => ['--parse-json', field] as const),
    ...phone.map((field) => ['--phone', field] as const),
  ];
}

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
function refuseTwice(name: string, flag: string, other: string): never {
  const message =
    flag === other ? `${named(name)} is named twice by ${flag}` : `${named(name)} is named by ${flag} and by ${other}`;
  throw usage(message, 'name it once');
}

function conflict(one: Claim, other: Claim, what: string): Error {
  return usage(`${one.by} and ${other.by} both give ${what}`, 'leave one out, with --drop if it comes from the input');
}
