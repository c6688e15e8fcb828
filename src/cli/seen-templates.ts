import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStateFolder, readRegular, requireOwn } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import { redact } from '../base/redact.ts';
import { isRecord } from '../contract/readers.ts';
import { currentCaller, type LocalCaller, type ServiceCaller } from '../session/caller.ts';
import { stateFolder } from '../session/folders.ts';
import type { Context } from './command.ts';

/** A template of an earlier list, for completion, suggestions and the text of past messages. */
export interface SeenTemplate {
  readonly name: string;
  /** The names of its variables; undefined if unknown. */
  readonly variables: readonly string[] | undefined;
  /** With a placeholder for each variable; undefined if unknown. */
  readonly text: string | undefined;
  /** Such as PENDING; undefined if unknown. */
  readonly status: string | undefined;
}

/** The templates that were listed last for the current caller. */
export function seenTemplates(context: Context): readonly SeenTemplate[] {
  return templatesSeen(context.host, currentCaller(context));
}

type Place = Pick<LocalCaller, 'kind'> | Pick<ServiceCaller, 'kind' | 'baseUrl' | 'mode'>;

/** Templates of a caller, or of all callers; empty if they cannot be read. */
export function templatesSeen(machine: Pick<Host, 'env' | 'home'>, caller?: Place): readonly SeenTemplate[] {
  const places = placesIn(stateFolder(machine));
  return caller ? (places[placeOf(caller)] ?? []) : Object.values(places).flat();
}

/** Another address or mode has other templates. */
function placeOf(caller: Place): string {
  return caller.kind === 'local' ? 'local' : `${caller.baseUrl} ${caller.mode}`;
}

function placesIn(folder: string): Readonly<Record<string, readonly SeenTemplate[]>> {
  try {
    requireOwn(folder);
    const value: unknown = JSON.parse(readRegular(join(folder, 'templates.json')).toString());
    const places = isRecord(value) && value['version'] === 2 && isRecord(value['places']) ? value['places'] : {};
    return Object.fromEntries(Object.entries(places).map(([place, list]) => [place, seenIn(list)]));
  } catch {
    return {};
  }
}

function seenIn(list: unknown): readonly SeenTemplate[] {
  const values: readonly unknown[] = Array.isArray(list) ? list : [];
  const optional = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return values.filter(isRecord).flatMap(({ name, variables, text, status }) => {
    const names = Array.isArray(variables) ? variables.map(String) : undefined;
    if (typeof name !== 'string') return [];
    return [{ name, variables: names, text: optional(text), status: optional(status) }];
  });
}

const [mostPlaces, mostTemplates] = [16, 500];

/** Remembers templates of the current caller; failures are ignored. */
export function rememberTemplates(context: Context, templates: readonly SeenTemplate[]): void {
  const caller = currentCaller(context);
  const folder = stateFolder(context.host);
  const draft = join(folder, `templates.json.${context.host.pid}`);
  const secrets = caller.kind === 'local' ? [] : [caller.key];
  const isClean = (text: string) => redact(text, secrets) === text;
  const seen = templates.map(({ name, variables, text, status }) => ({ name, variables, text, status }));
  const kept = seen.filter((one) => isClean(JSON.stringify(one))).slice(0, mostTemplates);
  try {
    createStateFolder(folder);
    const others = Object.entries(placesIn(folder)).filter(([place]) => place !== placeOf(caller));
    const places = Object.fromEntries([...others.slice(1 - mostPlaces), [placeOf(caller), kept]]);
    writeFileSync(draft, JSON.stringify({ version: 2, places }), { mode: 0o600, flag: 'wx' });
    renameSync(draft, join(folder, 'templates.json'));
  } catch {
    rmSync(draft, { force: true });
  }
}
