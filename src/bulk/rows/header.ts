import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import { errorField } from './error-field.ts';

/** The names in a table's header, checked: rows are known by them. */
export function headerNames(cells: readonly string[], file: string, line: number): readonly string[] {
  const names = cells.map((cell) => cell.trim());
  const where = `the header of "${file}" (line ${line})`;
  const empty = names.indexOf('');
  if (empty !== -1) throw usage(`column ${empty + 1} has no name in ${where}`, 'name it, or take the column out');
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  if (twice.length > 0) throw duplicate(twice, where);
  // Setting it on an object sets no field.
  if (names.includes('__proto__'))
    throw usage(`"__proto__" cannot be a column's name in ${where}`, 'name it otherwise');
  if (names.every((name) => name === errorField)) throw usage(`there is no column but "${errorField}" in ${where}`);
  return names;
}

function duplicate(names: readonly string[], where: string): CliError {
  const listed = names.map((name) => `"${name}"`).join(', ');
  return usage(
    `${listed} ${names.length === 1 ? 'stands' : 'stand'} twice in ${where}`,
    'give each column its own name',
  );
}
