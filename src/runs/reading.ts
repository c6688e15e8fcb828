import { parseJson } from '../base/json.ts';
import { CliError } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { globals } from '../cli/globals.ts';
import { readInput, type Texts } from '../cli/params.ts';
import type { RunState } from '../ledger/ledger.ts';
import type { Action } from './action.ts';
import { batchAction } from './batch.ts';
import { importAction } from './import.ts';
import { batchParams, importParams, type RunFlags } from './options.ts';
import { withDefaults } from './defaults.ts';

/** How the latest command of a run read its file. */
export interface Reading {
  readonly action: Pick<Action, 'mapper' | 'digest'>;
  readonly options: Pick<RunFlags, 'encoding' | 'sheet' | 'where'>;
  /** The column of the phones, from the command line. */
  readonly phone: string | undefined;
  /** False for an import with `--set`, whose values are not stored: its rows are known by their phone. */
  readonly knowsBodies: boolean;
}

/** From the stored words of the command. A team does not store them. */
export async function readingOf(context: Context, run: RunState): Promise<Reading> {
  const texts = await textsOf(context, run);
  const given = readInput(globals, texts);
  const caller = { ...context, given: { ...context.given, profile: given.profile ?? context.given.profile } };
  const [settings, isBatch] = [defaultsOf(caller), run.kind === 'message'];
  const input = isBatch ? readInput(batchParams, texts) : readInput(importParams, texts);
  const country = input.country ?? settings.country;
  const phone = input.map.find(({ to }) => to.join('.') === 'phone')?.from;
  const options = { ...input, encoding: input.encoding ?? settings.encoding };
  if ('params' in input) {
    const template = run.template ?? '';
    const perColumns = { per: run.perColumns ?? input.per, excludeFrom: [] };
    const action = batchAction(context, { ...input, ...perColumns, template, country });
    return { action, options, phone, knowsBodies: true };
  }
  return { action: importAction(context, { ...input, country }), options, phone, knowsBodies: input.set.length === 0 };
}

async function textsOf(context: Context, { typed }: RunState): Promise<Texts> {
  const words = wordsIn(typed);
  if (words.length === 0) return {};
  return (await context.parse(words)).texts;
}

function wordsIn(typed: string): readonly string[] {
  const words = typed.startsWith('[') ? parseJson(typed) : [];
  return Array.isArray(words) ? words.map(String) : [];
}

/** The profile may be gone, or the command line may have no caller. */
function defaultsOf(caller: Parameters<typeof withDefaults>[0]): Partial<ReturnType<typeof withDefaults>> {
  try {
    return withDefaults(caller, {});
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}
