import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode } from '../contract/keys.ts';
import { isRecord } from '../contract/readers.ts';
import type { Host } from '../base/host.ts';
import { type Caller, resolve } from '../session/profiles/resolve.ts';
import { requireOwn } from '../base/exposure.ts';
import { configFolder, stateFolder } from '../session/profiles/environment.ts';
import { readStore } from '../session/profiles/store.ts';
import { readRegular } from '../base/files.ts';
import type { Names } from './complete-offer.ts';

type Machine = Pick<Host, 'env' | 'home'>;

/** The names on this machine. What cannot be read has none: a TAB is no place for errors. */
export function namesOn({ env, home }: Machine): Names {
  const store = () => readStore(configFolder(env, home));
  return {
    profiles: () => attempt(() => Object.keys(store().profiles).sort()) ?? [],
    templates: (given) => {
      const kept = attempt(() => readTemplates(ownFolder(stateFolder(env, home))));
      if (!kept) return [];
      const flags = { profile: given.get('--profile'), baseUrl: given.get('--base-url'), mode: modeIn(given) };
      const caller = attempt(() => resolve({ flags, env, terminal: true, loadStore: store }));
      // Who is calling may stand further on in the line.
      return (caller ? kept.get(placeOf(caller)) : [...new Set([...kept.values()].flat())]) ?? [];
    },
  };
}

function modeIn(given: ReadonlyMap<string, string>): Mode | undefined {
  const mode = given.get('--mode');
  return mode === 'sandbox' || mode === 'live' ? mode : undefined;
}

function ownFolder(folder: string): string {
  requireOwn(folder);
  return folder;
}

/** Under what the templates of whoever is called are kept. */
export function placeOf(caller: Caller): string {
  return caller.kind === 'local' ? 'local' : `${caller.baseUrl} ${caller.mode}`;
}

export function templatesFile(folder: string): string {
  return join(folder, 'templates.json');
}

const largest = 1_000_000;

/** The names of templates by place, as the last lists had them; none where the file is not what was written. */
export function readTemplates(folder: string): ReadonlyMap<string, readonly string[]> {
  const file = templatesFile(folder);
  return new Map(
    attempt(() => (statSync(file).size > largest ? [] : entriesIn(JSON.parse(readRegular(file).toString())))),
  );
}

function entriesIn(value: unknown): readonly (readonly [string, readonly string[]])[] {
  if (!isRecord(value) || value['version'] !== 1 || !isRecord(value['places'])) return [];
  return Object.entries(value['places']).map(([place, names]) => {
    const list: readonly unknown[] = Array.isArray(names) ? names : [];
    return [place, list.filter((name) => typeof name === 'string')];
  });
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
