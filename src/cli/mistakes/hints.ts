import { shellQuote } from '../../base/shell-quote.ts';
import { globals } from '../globals.ts';
import { usageLine } from '../help.ts';
import { longName, type Param } from '../params.ts';
import type { Line } from './line.ts';

export function didYouMean(some: readonly string[]): string {
  const [last = '', ...before] = some.slice(0, 3).reverse();
  return `did you mean ${before.length > 0 ? `${before.reverse().join(', ')} or ` : ''}${last}?`;
}

/** What names a file of records, or of text. */
export function isFileName(text: string | undefined): text is string {
  return text !== undefined && /.\.(csv|tsv|tab|txt|json|jsonl|ndjson)$/i.test(text);
}

/** For who looks for an option, or an argument, that names the file of the results. */
export function toFile({ path, node }: Line, file: string): string {
  const ending = /[^.]*$/.exec(file.toLowerCase())?.[0];
  const format = globals.output.choices?.find((one) => one === ending) ?? 'csv';
  const output = node.honours.includes('output') ? ` -o ${format}` : '';
  return `results go to stdout: ${path.join(' ')}${output} > ${shellQuote(file)}`;
}

/** The option of the command's own that takes a file, if there is one. */
export function fileOption({ node }: Line): string | undefined {
  const found = Object.values(node.params).find(({ kind, spec }) => kind === 'option' && spec.endsWith(' <file>'));
  return found && longName(found);
}

/** The shortest name of an option. */
export function firstName({ spec }: Param<unknown>): string {
  return spec.split(/[ ,]/)[0] ?? spec;
}

export function asUsed({ path, node }: Line): string {
  return `write ${usageLine(path, node)}`;
}
