import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegular, createStateFolder } from '../base/files.ts';
import { redact } from '../base/redact.ts';
import { replaceFile } from '../base/replace-file.ts';
import type { Host } from '../base/host.ts';
import { isRecord } from '../contract/readers.ts';
import type { Caller } from '../session/caller.ts';
import { ownStateFolder, stateFolder } from '../session/folders.ts';

type Machine = Pick<Host, 'env' | 'home'>;

/** A template of an earlier list. */
export interface SeenTemplate {
  readonly name: string;
  /** The names of its variables; undefined if unknown. */
  readonly variables: readonly string[] | undefined;
}

/** The templates that were listed last for a caller, or for all callers; empty if they cannot be read. */
export function templatesSeen(machine: Machine, caller: Caller | undefined): readonly SeenTemplate[] {
  const kept = attempt(() => readTemplates(ownStateFolder(machine)));
  if (!kept) return [];
  return caller ? (kept.get(placeOf(caller)) ?? []) : [...kept.values()].flat();
}

/** The cache key for the templates of a caller. */
function placeOf(caller: Caller): string {
  return caller.kind === 'local' ? 'local' : `${caller.baseUrl} ${caller.mode}`;
}

function templatesFile(folder: string): string {
  return join(folder, 'templates.json');
}

const largest = 1_000_000;

/** The cached templates by place; empty if the file is damaged. */
function readTemplates(folder: string): ReadonlyMap<string, readonly SeenTemplate[]> {
  const file = templatesFile(folder);
  return new Map(
    attempt(() => (statSync(file).size > largest ? [] : entriesIn(JSON.parse(readRegular(file).toString())))),
  );
}

function entriesIn(value: unknown): readonly (readonly [string, readonly SeenTemplate[]])[] {
  if (!isRecord(value) || value['version'] !== 2 || !isRecord(value['places'])) return [];
  return Object.entries(value['places']).map(([place, templates]) => {
    const list: readonly unknown[] = Array.isArray(templates) ? templates : [];
    return [place, list.flatMap((one) => seenIn(one) ?? [])];
  });
}

function seenIn(value: unknown): SeenTemplate | undefined {
  if (!isRecord(value) || typeof value['name'] !== 'string') return undefined;
  const { name, variables } = value;
  return { name, variables: Array.isArray(variables) ? variables.map(String) : undefined };
}

export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const mostPlaces = 16;
const mostTemplates = 500;
const longest = 1_000;

/** Caches templates for completion and suggestions; failures are ignored. */
export function learnTemplates(
  host: Pick<Host, 'env' | 'home' | 'pid'>,
  caller: Caller,
  templates: readonly SeenTemplate[],
): void {
  const aside = (file: string) => `${file}.${host.pid}`;
  let file: string | undefined;
  try {
    const folder = createStateFolder(stateFolder(host));
    const place = placeOf(caller);
    const others = [...readTemplates(folder)].filter(([other]) => other !== place);
    const byName = new Map(templates.map(({ name, variables }) => [name, { name, variables }]));
    const secrets = caller.kind === 'local' ? [] : [caller.key];
    const isKept = (text: string) => text.length <= longest && redact(text, secrets) === text;
    const kept = [...byName.values()].filter((one) => isKept(JSON.stringify(one))).slice(0, mostTemplates);
    const places = Object.fromEntries([...others.slice(1 - mostPlaces), [place, kept]]);
    file = templatesFile(folder);
    writeFileSync(aside(file), JSON.stringify({ version: 2, places }), { mode: 0o600, flag: 'wx' });
    replaceFile(aside(file), file);
  } catch {
    if (file !== undefined) rmSync(aside(file), { force: true });
  }
}
