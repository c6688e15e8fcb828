import type { CliError } from '../errors.ts';
import { configuration, usage } from '../errors.ts';

/** The reserved profile: the sandbox on this machine. */
export const local = 'local';

const longest = 64;

/** The name that somebody chose for a profile. */
export function profileName(text: string): string {
  if (text.trim() === '') throw usage('a profile needs a name');
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    throw usage(`"${text}" has control characters in it`, 'choose another name');
  // Names are printed in full.
  if (/sk_(?:test|live)_.|whsec_./i.test(text))
    throw usage(`the name "${shownName(text)}" looks like a key`, 'choose another name; the key itself is asked for');
  if (text.toLowerCase() === local)
    throw usage(`"${text}" is reserved for the sandbox on this machine`, 'choose another name');
  if (text.length > longest) throw usage(`"${text}" is longer than ${longest} characters`, 'choose a shorter name');
  return text;
}

function shownName(text: string): string {
  return text.replace(/(sk_(?:test|live)_|whsec_).*/is, '$1…');
}

export function unknownProfile(name: string, names: readonly string[]): CliError {
  const near = [...names, local].find((candidate) => isNear(name.toLowerCase(), candidate.toLowerCase()));
  const offer = near ? [`did you mean "${near}"?`] : [];
  const known = names.length > 0 ? [`the profiles are ${listed(names)}`] : ['add it with bizmsg profiles add'];
  const hint = [...offer, ...known, `--profile ${local} is the sandbox on this machine`].join('; ');
  return configuration('unknown-profile', `there is no profile "${name}"`, hint);
}

export function listed(names: readonly string[]): string {
  const more = names.length > 10 ? [`and ${names.length - 10} more`] : [];
  return [...names.slice(0, 10).map((name) => `"${name}"`), ...more].join(', ');
}

/** A name as a shell takes it in one piece, since hints are pasted. */
export function shellWord(name: string): string {
  return /^[\w.][\w.-]*$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether one letter more, less, changed or swapped makes one word of the other. */
function isNear(one: string, other: string): boolean {
  const limit = Math.min(one.length, other.length);
  let start = 0;
  while (start < limit && one[start] === other[start]) start++;
  let end = 0;
  while (end < limit - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  const left = one.slice(start, one.length - end);
  const right = other.slice(start, other.length - end);
  const swapped = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return swapped || Math.max(left.length, right.length) <= 1;
}
