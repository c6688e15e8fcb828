import type { CliError } from '../../errors.ts';
import { usage } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { shellWord } from '../../shell-word.ts';
import type { Plan } from './contact-plan.ts';
import type { FieldMap } from './flags.ts';
import { named, quoted } from './refused.ts';

type Maps = readonly FieldMap[] | undefined;

/** A name that no column of a table has. */
export function noColumn(flag: string, name: string, headers: readonly string[], maps?: Maps): CliError {
  const hint = mistaken(flag, name, headers, maps) ?? meant(name, headers, 'column');
  return usage(`${flag} names ${quoted(name)}, and the input has no such column`, hint);
}

/** A name that no record of the input has. */
export function noRecordField(flag: string, name: string, seen: readonly string[], maps?: Maps): CliError {
  const hint = mistaken(flag, name, seen, maps) ?? meant(name, seen, 'field');
  return usage(`${flag} names ${quoted(name)}, and no record of the input has it`, hint);
}

/** A name that is no field of the body. */
export function noField(flag: string, name: string, plan: Plan, fields: readonly string[]): CliError {
  const moved = plan.maps.find(({ from }) => from === name);
  const to = moved && named(moved.to.join('.'));
  if (to) return usage(`${flag} names ${quoted(name)}, which --map sends as ${to}`, `use ${flag} ${to}`);
  if (plan.drops.has(name)) return usage(`${flag} names ${quoted(name)}, which is dropped`, 'leave out one of the two');
  return usage(
    `${flag} names ${quoted(name)}, and no such field is sent`,
    mistaken(flag, name, fields) ?? meant(name, fields, 'field'),
  );
}

function meant(name: string, known: readonly string[], what: string): string {
  const same = known.find((one) => one.trim().toLowerCase() === name.trim().toLowerCase());
  const near = same ?? nearest(name.slice(0, 100), known);
  return near === undefined ? listed(known, what) : `did you mean ${quoted(near)}?`;
}

/** Several names in one value, or a map with its ends changed. */
function mistaken(flag: string, name: string, known: readonly string[], maps: Maps = []): string | undefined {
  const to = flag === '--map' ? maps.find(({ from }) => from === name)?.to.join('.') : undefined;
  const parts = (to === undefined ? name : `${name}=${to}`).split(',').map((part) => part.trim());
  const isKnown = (part: string) => known.includes(to === undefined ? part : part.replace(/=[^=]*$/, ''));
  if (parts.length > 1 && flag !== '--to-column' && parts.every(isKnown))
    return `one ${flag} for each: ${parts.map((part) => `${flag} ${shellWord(part)}`).join(' ')}`;
  const isTurned = to !== undefined && known.includes(to) && nearest(name.slice(0, 100), known) === undefined;
  return isTurned ? `did you mean --map ${shellWord(`${to}=${name}`)}?` : undefined;
}

/** The first names of many. */
export function listed(names: readonly string[], what: string): string {
  const shown = names.slice(0, 12).map(quoted).join(', ');
  return `the ${what}s are ${shown}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
}
