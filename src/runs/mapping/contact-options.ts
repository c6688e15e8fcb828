import { usage } from '../../errors.ts';
import { refuseConflicts, refuseTwice } from './conflicts.ts';
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
