import { basename } from 'node:path';
import { configuration } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Context } from '../cli/command.ts';
import { isRecord, list, string } from '../contract/readers.ts';
import { currentCaller } from '../session/caller.ts';
import { lists, texts, type Told } from './options.ts';

/** Options of a command. Some drop the kept ones. */
export type Typed = Told & {
  readonly noWhere?: boolean;
  readonly noHours?: boolean;
  readonly excludeFrom?: readonly string[];
};

/** Reads what a batch keeps; a damaged database may hold anything. */
export function toldOf(json: string): Told {
  try {
    const stored = parseJson(json);
    if (!isRecord(stored)) throw new TypeError('it is not an object');
    const read = <T>(names: readonly string[], value: (stored: unknown) => T) =>
      names.filter((name) => stored[name] !== undefined).map((name) => [name, value(stored[name])] as const);
    return { ...Object.fromEntries(read(lists, list(string))), ...Object.fromEntries(read(texts, string)) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw configuration('database-damaged', `the options of a batch cannot be read: ${why}`);
  }
}

/** The kept options with those of a command: each that was typed replaces the kept one. */
export function mergeTold(stored: Told, typed: Typed): Told {
  const { where, hours, ...others } = stored;
  const kept = { ...others, ...(!typed.noWhere && { where }), ...(!typed.noHours && { hours }) };
  const isTyped = (name: keyof Told) => typed[name] !== undefined && typed[name].length > 0;
  return { ...kept, ...Object.fromEntries([...lists, ...texts].filter(isTyped).map((name) => [name, typed[name]])) };
}

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

/** The options of a command with those that its batch (`stored`) and its profile keep. */
export function settingsOf(context: Context, kind: 'message' | 'import', stored: Told, typed: Typed): Settings {
  const caller = currentCaller(context);
  const profile = caller.kind === 'service' ? caller : undefined;
  const isMessage = kind === 'message';
  const defaults = {
    country: profile?.country,
    encoding: profile?.encoding,
    hours: isMessage ? profile?.hours : undefined,
  };
  const typedNow = mergeTold(stored, typed);
  // With the country of another profile, a number would belong to another person.
  const told = mergeTold({ country: defaults.country }, typedNow);
  const excluded = isMessage && profile?.excludeFrom !== undefined ? [profile.excludeFrom] : [];
  return {
    told,
    effective: mergeTold(defaults, told),
    excludeFrom: [...excluded, ...(typed.excludeFrom ?? [])],
    kept: wordsOf(mergeTold(stored, { noWhere: typed.noWhere ?? false, noHours: typed.noHours ?? false }), typed),
    profile: [
      ...wordsOf(defaults, typedNow),
      ...excluded.map((file) => `--exclude-from ${shellQuote(basename(file))}`),
    ],
  };
}

/** `--country DE`: the options of `told` that others do not replace. */
function wordsOf(told: Told, others: Told): readonly string[] {
  return [...lists, ...texts].flatMap((name) => {
    if (others[name]?.length) return [];
    const option = name === 'param' ? '-p' : `--${name}`;
    return [told[name] ?? []].flat().map((text) => `${option} ${shellQuote(text)}`);
  });
}
