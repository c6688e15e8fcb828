import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { Plan } from './contact-plan.ts';
import { named, quoted } from './refused.ts';

/** A name that no column of a table has. */
export function noColumn(flag: string, name: string, headers: readonly string[]): CliError {
  return usage(`${flag} names ${quoted(name)}, and the input has no such column`, meant(name, headers, 'column'));
}

/** A name that no record of the input has. */
export function noRecordField(flag: string, name: string, seen: readonly string[]): CliError {
  return usage(`${flag} names ${quoted(name)}, and no record of the input has it`, meant(name, seen, 'field'));
}

/** A name that is no field of the body. */
export function noField(flag: string, name: string, plan: Plan, fields: readonly string[]): CliError {
  const moved = plan.maps.find(({ from }) => from === name);
  const to = moved && named(moved.to.join('.'));
  if (to) return usage(`${flag} names ${quoted(name)}, which --map sends as ${to}`, `use ${flag} ${to}`);
  if (plan.drops.has(name)) return usage(`${flag} names ${quoted(name)}, which is dropped`, 'leave out one of the two');
  return usage(`${flag} names ${quoted(name)}, and no such field is sent`, meant(name, fields, 'field'));
}

function meant(name: string, known: readonly string[], what: string): string {
  const same = known.find((one) => one.trim().toLowerCase() === name.trim().toLowerCase());
  const near = same ?? nearest(name.slice(0, 100), known);
  return near === undefined ? listed(known, what) : `did you mean ${quoted(near)}?`;
}

/** The first names of many. */
export function listed(names: readonly string[], what: string): string {
  const shown = names.slice(0, 12).map(quoted).join(', ');
  return `the ${what}s are ${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
}
