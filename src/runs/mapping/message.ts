import { usage } from '../../errors.ts';
import type { Fields, Mapped } from '../row.ts';
import type { Source } from './contact.ts';
import { textOf } from './conversions.ts';
import { own } from './fields.ts';
import { recipientIn } from './recipient.ts';
import type { RecipientOptions } from './recipient.ts';
import { Refused, named } from './refused.ts';
import { noColumn } from './unknown.ts';

/** How a row becomes the body of a message. */
export interface MessageMappingOptions extends RecipientOptions {
  readonly template: string;
  /** In the order of the command line. */
  readonly params: readonly ParamSource[];
  /** An empty param is meant. */
  readonly allowEmpty?: boolean;
}

/** A param that each row has itself, or one for all. */
type ParamSource = { readonly column: string } | { readonly value: string };

type ParamReader = (fields: Fields) => string | Refused;

/** Makes bodies of messages. What names a column that a table has not is a usage error at once. */
export async function createMessageMapping(
  options: MessageMappingOptions,
  source: Source,
): Promise<(fields: Fields) => Mapped> {
  checkMessageMapping(options);
  const recipient = await recipientIn(options, source);
  const params = options.params.map((param, index) => paramReader(param, index + 1, options));
  for (const param of options.params)
    if ('column' in param && source.fields?.includes(param.column) === false)
      throw noColumn('--param-column', param.column, source.fields);
  return (fields) => {
    const to = recipient(fields);
    if (to instanceof Refused) return { reason: to.why };
    const texts: string[] = [];
    for (const read of params) {
      const text = read(fields);
      if (text instanceof Refused) return { reason: text.why };
      texts.push(text);
    }
    return { body: { to, template: options.template, params: texts } };
  };
}

/** Refuses what is wrong whatever the input. */
export function checkMessageMapping({ params, allowEmpty = false }: MessageMappingOptions): void {
  const empty = params.findIndex((param) => 'value' in param && param.value === '');
  if (empty !== -1 && !allowEmpty) throw usage(`param ${empty + 1} is empty`, '--allow-empty says that it is meant');
}

function paramReader(param: ParamSource, place: number, { allowEmpty = false }: MessageMappingOptions): ParamReader {
  if ('value' in param) return () => param.value;
  const { column } = param;
  const where = `param ${place}, ${named(column)}`;
  return (fields) => {
    const value = own(fields, column);
    if (value === undefined) return new Refused(`${where}: it is missing`);
    if (value === '' || value === null) return allowEmpty ? '' : new Refused(`${where}: it is empty`);
    const text = textOf(value);
    return text instanceof Refused ? new Refused(`${where}: ${text.why}`) : text;
  };
}
