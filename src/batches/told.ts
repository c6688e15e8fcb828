import { configuration } from '../base/errors.ts';
import { parseJson } from '../base/json.ts';
import { isRecord, list, string } from '../contract/readers.ts';
import type { Caller } from '../session/caller.ts';

const lists = ['param', 'default', 'map', 'where', 'set', 'type'] as const;
const texts = ['keep', 'country', 'encoding', 'sheet', 'hours', 'rate'] as const;

/** Options of a batch as typed. It keeps them as JSON, so that they are read again by each command. */
export type Told = { readonly [name in (typeof lists)[number]]?: readonly string[] | undefined } & {
  readonly [name in (typeof texts)[number]]?: string | undefined;
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

/** Options that drop the kept ones. */
export interface Lifts {
  readonly noWhere?: boolean;
  readonly noHours?: boolean;
}

/** The kept options with those of a command: each that was typed replaces the kept one. */
export function mergeTold(stored: Told, typed: Told & Lifts): Told {
  const { where, hours, ...others } = stored;
  const kept = { ...others, ...(!typed.noWhere && { where }), ...(!typed.noHours && { hours }) };
  const isTyped = (name: keyof Told) => typed[name] !== undefined && typed[name].length > 0;
  const typedNow = [...lists, ...texts].filter(isTyped).map((name) => [name, typed[name]]);
  return { ...kept, ...Object.fromEntries(typedNow) };
}

/** Defaults of the profile, which a batch does not keep. Its hours are those of messages. */
export function toldByProfile(caller: Caller, kind: 'message' | 'import'): Told {
  if (caller.kind === 'local') return {};
  const { country, encoding, hours } = caller;
  return kind === 'message' ? { country, encoding, hours } : { country, encoding };
}
