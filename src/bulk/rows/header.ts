import { repairedPhone } from '../../contract/phones.ts';
import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import { errorField } from './error-field.ts';

/** How many of a header's columns at its end have no name, as a delimiter at the end of each line leaves one. */
export function namelessEnd(cells: readonly string[]): number {
  const named = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells.length - 1 - named;
}

/** The names in a table's header, checked: rows are known by them. */
export function headerNames(cells: readonly string[], file: string, line: number): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const where = `the header of "${file}" (line ${line})`;
  const empty = names.indexOf('');
  if (empty !== -1) throw usage(`column ${empty + 1} has no name in ${where}`, 'name it, or take the column out');
  const twice = repeatedIn(names);
  if (twice.length > 0) throw duplicate(twice, where);
  const phone = names.find(isPhoneNumber);
  if (phone !== undefined) throw headless(phone, file, line);
  // Setting it on an object sets no field.
  if (names.includes('__proto__'))
    throw usage(`"__proto__" cannot be a column's name in ${where}`, 'name it otherwise');
  if (names.every((name) => name === errorField)) throw usage(`there is no column but "${errorField}" in ${where}`);
  return names;
}

/** A file may have a hundred thousand columns. */
function repeatedIn(names: readonly string[]): readonly string[] {
  const [seen, twice] = [new Set<string>(), new Set<string>()];
  for (const name of names) {
    if (seen.has(name)) twice.add(name);
    seen.add(name);
  }
  return [...twice];
}

/** Nobody calls a column so. */
function isPhoneNumber(name: string): boolean {
  return /^(\+|00)/.test(name) && repairedPhone(name) !== undefined;
}

function headless(phone: string, file: string, line: number): CliError {
  const shown = `${phone.slice(0, 5)}…${phone.slice(-2)}`;
  const where = line === 1 ? 'the first line' : `line ${line}`;
  const message = `${where} of "${file}" holds a phone number, ${shown}: does it have a header line?`;
  return usage(message, 'put one before the rows that names their columns, such as phone,name');
}

function duplicate(names: readonly string[], where: string): CliError {
  const listed = names.map((name) => `"${name}"`).join(', ');
  return usage(
    `${listed} ${names.length === 1 ? 'stands' : 'stand'} twice in ${where}`,
    'give each column its own name',
  );
}
