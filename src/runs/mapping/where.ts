import { type Condition, condition, isMet } from '../../base/condition.ts';
import { usage } from '../../base/errors.ts';
import type { Fields, Mapper } from '../input/row.ts';
import { type Columns, columnNamed, nearestName, requireColumn } from './columns.ts';

/** `--where column=value`, which in JSON may name a nested field as well: address.city=Berlin. */
export function whereFlag(text: string): Condition {
  if (!text.includes('=')) throw usage(`"${text}" is not column=value`, 'such as country=DE');
  return condition(text);
}

/** A mapper that leaves out the rows which do not meet all conditions; throws if an input has no such column. */
export function filtered(mapper: Mapper, conditions: readonly Condition[], { fields: columns }: Columns): Mapper {
  if (conditions.length === 0) return mapper;
  const named =
    columns && conditions.map((one) => ({ ...one, path: [requireColumn('--where', nameOf(one), columns)] }));
  const unseen = new Set(named ? [] : conditions);
  const known = new Set<string>();
  return {
    ...mapper,
    isFilteredOut(fields) {
      if (named) return !named.every((one) => isMet(one, fields));
      const paths = conditions.map((one) => ({ ...one, path: pathIn(fields, one) }));
      paths.forEach(({ path: [column = ''] }, at) => {
        const wanted = conditions[at];
        if (wanted && Object.hasOwn(fields, column)) unseen.delete(wanted);
      });
      if (unseen.size > 0) for (const name of Object.keys(fields).slice(0, most)) known.add(name);
      return !paths.every((one) => isMet(one, fields));
    },
    end() {
      mapper.end?.();
      const [missing] = known.size > 0 ? unseen : [];
      if (!missing) return;
      const message = `--where names "${nameOf(missing)}", but no record of the input has it`;
      throw usage(message, nearestName(nameOf(missing), [...known], 'field'));
    },
  };
}

/** Fields of a record that a hint may name. */
const most = 200;

function nameOf({ path }: Condition): string {
  return path.join('.');
}

/** The path in this record: its first name in any case, or the whole if a field has dots in its name. */
function pathIn(fields: Fields, { path }: Condition): readonly string[] {
  const name = path.join('.');
  if (Object.hasOwn(fields, name)) return [name];
  const [first = '', ...rest] = path;
  return [columnNamed(first, Object.keys(fields)) ?? first, ...rest];
}
