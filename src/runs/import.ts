import { createContactMapping, createJsonTextCheck, createFieldUsage } from './mapping/contact.ts';
import { checkContactMapping, type ContactMappingOptions } from './mapping/contact-options.ts';
import { canonical, contactRow } from '../ledger/identity.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { suggest } from '../base/suggest.ts';
import type { Context } from '../cli/command.ts';
import type { Mapper } from './input/row.ts';
import type { Action } from './action.ts';
import { phoneIn } from './mapping/values.ts';

export function importAction(context: Context, options: ContactMappingOptions): Action {
  checkContactMapping(options);
  return {
    command: 'contacts import',
    kind: 'contact',
    endpoint: 'createContact',
    perColumns: [],
    clue(reasons, columns) {
      const free = columns.filter((column) => !options.map?.some(({ from }) => from === column));
      return suggestColumn(reasons, free);
    },
    async mapper(source) {
      const map = await createContactMapping(options, source);
      if (source.fields) return tableMapper(context, map);
      const named = createFieldUsage(options);
      return {
        map({ fields }) {
          named.see(fields);
          return map(fields);
        },
        end: () => named.refuseUnseen(),
      };
    },
    digest: ({ body }, secret) => contactRow(secret, { phone: phoneOf(body), body }),
  };
}

function tableMapper(context: Context, map: Awaited<ReturnType<typeof createContactMapping>>): Mapper {
  const texts = createJsonTextCheck();
  return {
    map({ fields }) {
      const mapped = map(fields);
      if ('body' in mapped) texts.see(mapped.body);
      return mapped;
    },
    end() {
      const found = texts.fields();
      const flags = found.map((field) => `--type ${shellQuote(`${field}=json`)}`).join(' ');
      if (found.length > 0)
        context.note('json-texts', `JSON in ${found.join(', ')} is sent as text; to send its value: ${flags}`);
    },
  };
}

/** The document does not name the fields of a contact. Without a phone, a contact equals no other. */
function phoneOf(body: object): string {
  const phone = 'phone' in body ? body.phone : undefined;
  return typeof phone === 'string' ? phone : (phoneIn(body)?.[1] ?? canonical(body));
}

/** Suggests --map if the service reports a missing field and the input has a column with a similar name. */
function suggestColumn(reasons: readonly string[], columns: readonly string[]): string | undefined {
  for (const reason of reasons) {
    const field = /(?:\/|["'])([\w.-]+)["']? is (?:missing|required)/.exec(reason)?.[1];
    if (field === undefined || columns.includes(field)) continue;
    const column = columnFor(field, columns);
    if (column !== undefined) return `the input has "${column}": --map ${shellQuote(`${column}=${field}`)}`;
    if (columns.length > 0)
      return `no column is named ${field}; the columns are ${columns.slice(0, mostShown).join(', ')}; --map COLUMN=${field} renames one`;
  }
  return undefined;
}

function columnFor(field: string, columns: readonly string[]): string | undefined {
  const same = columns.find((column) => plain(column) === plain(field));
  return same ?? suggest(field, columns.slice(0, mostLooked));
}

/** Columns that a hint lists. */
const mostShown = 10;
/** Columns beyond it are not compared. */
const mostLooked = 200;

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}
