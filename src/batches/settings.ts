import { basename } from 'node:path';
import { shellQuote } from '../base/shell-quote.ts';
import type { Database } from '../base/transaction.ts';
import type { Context } from '../cli/command.ts';
import { currentCaller } from '../session/caller.ts';
import { excludedCount } from '../store/draft.ts';
import { peopleText } from './overview.ts';
import { type Lifts, mergeTold, type Told, toldByProfile } from './told.ts';

export interface Settings {
  /** The options that the batch keeps from now on. */
  readonly told: Told;
  /** The same with the settings of the profile, which the batch does not keep. */
  readonly effective: Told;
  readonly excludeFrom: readonly string[];
  /** Options that were not typed, of the batch and of the profile. */
  readonly kept: readonly string[];
  readonly profile: readonly string[];
}

/** The options of a command with what its batch and its profile keep. */
export function settingsOf(
  context: Context,
  { kind, stored }: { readonly kind: 'message' | 'import'; readonly stored: Told },
  typed: { readonly told: Told & Lifts; readonly excludeFrom: readonly string[] },
): Settings {
  const typedNow = mergeTold(stored, typed.told);
  const caller = currentCaller(context);
  const defaults = toldByProfile(caller, kind);
  // With the country of another profile, a number would belong to another person.
  const told = {
    ...typedNow,
    ...(defaults.country !== undefined && { country: typedNow.country ?? defaults.country }),
  };
  const { excludeFrom } = kind === 'message' && caller.kind === 'service' ? caller : {};
  const excluded = excludeFrom === undefined ? [] : [excludeFrom];
  return {
    told,
    effective: mergeTold(defaults, told),
    excludeFrom: [...excluded, ...typed.excludeFrom],
    kept: wordsOf(mergeTold(stored, { noWhere: typed.told.noWhere, noHours: typed.told.noHours }), typed.told),
    profile: [
      ...wordsOf(defaults, typedNow),
      ...excluded.map((file) => `--exclude-from ${shellQuote(basename(file))}`),
    ],
  };
}

/** Options that its batch keeps, for people, with the number of excluded phones. */
export async function keptWords(
  database: Database,
  id: string | undefined,
  kept: readonly string[],
): Promise<readonly string[]> {
  const excluded = id === undefined ? 0 : await excludedCount(database, id);
  return [...(excluded > 0 ? [`--exclude-from (${peopleText(excluded, 'message')})`] : []), ...kept];
}

/** `--country DE`: the options of `told` that others do not replace. */
function wordsOf(told: Told, others: Told): readonly string[] {
  const replaced = new Set(Object.entries(others).flatMap(([name, value]) => (value?.length ? name : [])));
  return Object.entries(told).flatMap(([name, value]: [string, string | readonly string[] | undefined]) => {
    if (value === undefined || replaced.has(name)) return [];
    const option = name === 'param' ? '-p' : `--${name}`;
    return [value].flat().map((text) => `${option} ${shellQuote(text)}`);
  });
}
