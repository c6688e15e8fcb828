import { usage } from '../../errors.ts';
import type { Fields } from '../row.ts';
import type { Source } from './contact.ts';
import { textOf } from './conversions.ts';
import { own } from './fields.ts';
import { asItStands, createPhoneReader } from './phone.ts';
import { Refused, named } from './refused.ts';
import { listed, noColumn } from './unknown.ts';

export interface RecipientOptions {
  /** The field with the recipient: without it `to`, or else `phone`. */
  readonly toColumn?: string;
  /** Normalises the recipient's number, of this country where it does not say. */
  readonly phone?: { readonly country?: string };
}

const usual = ['to', 'phone'] as const;

/** Finds the recipient in a row. */
export async function recipientIn(
  { toColumn, phone }: RecipientOptions,
  { fields: headers }: Source,
): Promise<(fields: Fields) => string | Refused> {
  const fixed = headers ? columnOf(toColumn, headers) : toColumn;
  const read = phone ? await createPhoneReader(phone.country) : asItStands;
  return (fields) => {
    const column = fixed ?? usualIn(fields);
    if (column instanceof Refused) return column;
    const value = own(fields, column);
    if (value === undefined) return new Refused(`${named(column)}: it is missing`);
    if (value === '' || value === null) return new Refused(`${named(column)}: it is empty`);
    const text = textOf(value);
    const number = text instanceof Refused ? text : read(text);
    return number instanceof Refused ? new Refused(`${named(column)}: ${number.why}`) : number;
  };
}

function columnOf(toColumn: string | undefined, headers: readonly string[]): string {
  if (toColumn === undefined) return usualOf(headers);
  if (!headers.includes(toColumn)) throw noColumn('--to-column', toColumn, headers);
  return toColumn;
}

function usualOf(headers: readonly string[]): string {
  const [found, another] = usual.filter((name) => headers.includes(name));
  if (found === undefined)
    throw usage(
      'no column is named to or phone',
      `name the recipient's with --to-column; ${listed(headers, 'column')}`,
    );
  if (another !== undefined)
    throw usage('the columns to and phone could both be the recipient', 'say which with --to-column');
  return found;
}

function usualIn(fields: Fields): string | Refused {
  const [found, another] = usual.filter((name) => Object.hasOwn(fields, name));
  if (found === undefined) return new Refused('it has neither to nor phone; name the recipient with --to-column');
  return another === undefined ? found : new Refused('it has both to and phone; say which with --to-column');
}
