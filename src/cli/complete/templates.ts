import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireOwn } from '../../base/exposure.ts';
import { readRegular, createStateFolder } from '../../base/files.ts';
import type { Host } from '../../base/host.ts';
import type { Mode } from '../../contract/keys.ts';
import { isRecord } from '../../contract/readers.ts';
import { configFolder, stateFolder } from '../../session/profiles/environment.ts';
import { type Caller, resolve } from '../../session/profiles/resolve.ts';
import { readStore } from '../../session/profiles/store.ts';
import type { Names } from './candidates.ts';

type Machine = Pick<Host, 'env' | 'home'>;

/** The names stored on this machine. Unreadable files have none, because completion must not print errors. */
export function namesOn({ env, home }: Machine): Names {
  const store = () => readStore(configFolder(env, home));
  return {
    profiles: () => attempt(() => Object.keys(store().profiles).sort()) ?? [],
    templates: (given) => {
      const kept = attempt(() => readTemplates(ownFolder(stateFolder(env, home))));
      if (!kept) return [];
      const flags = { profile: given.get('--profile'), baseUrl: given.get('--base-url'), mode: modeIn(given) };
      const caller = attempt(() => resolve({ flags, env, terminal: true, loadStore: store }));
      // --profile may follow later in the line.
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

/** The cache key for the templates of a caller. */
function placeOf(caller: Caller): string {
  return caller.kind === 'local' ? 'local' : `${caller.baseUrl} ${caller.mode}`;
}

function templatesFile(folder: string): string {
  return join(folder, 'templates.json');
}

const largest = 1_000_000;

/** The cached template names by place; empty if the file is damaged. */
function readTemplates(folder: string): ReadonlyMap<string, readonly string[]> {
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

const mostPlaces = 16;
const mostNames = 500;
const longest = 200;

/** Caches the names for completion; failures are ignored. */
export function learnTemplates(
  { env, home, pid }: Pick<Host, 'env' | 'home' | 'pid'>,
  caller: Caller,
  names: readonly string[],
): void {
  const aside = (file: string) => `${file}.${pid}`;
  let file: string | undefined;
  try {
    const folder = createStateFolder(stateFolder(env, home));
    const place = placeOf(caller);
    const others = [...readTemplates(folder)].filter(([other]) => other !== place);
    const kept = [...new Set(names)].filter((name) => name.length <= longest).slice(0, mostNames);
    const places = Object.fromEntries([...others.slice(1 - mostPlaces), [place, kept]]);
    file = templatesFile(folder);
    writeFileSync(aside(file), JSON.stringify({ version: 1, places }), { mode: 0o600, flag: 'wx' });
    renameSync(aside(file), file);
  } catch {
    if (file !== undefined) rmSync(aside(file), { force: true });
  }
}
