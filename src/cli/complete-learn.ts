import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { stateFolderAt } from '../base/files.ts';
import type { Host } from '../base/host.ts';
import type { Caller } from '../session/profiles/resolve.ts';
import { stateFolder } from '../session/profiles/environment.ts';
import { placeOf, readTemplates, templatesFile } from './complete-names.ts';

const mostPlaces = 16;
const mostNames = 500;
const longest = 200;

/** Keeps the names for TAB to offer. It is a convenience: what cannot be kept is not. */
export function learnTemplates(
  { env, home, pid }: Pick<Host, 'env' | 'home' | 'pid'>,
  caller: Caller,
  names: readonly string[],
): void {
  const aside = (file: string) => `${file}.${pid}`;
  let file: string | undefined;
  try {
    const folder = stateFolderAt(stateFolder(env, home));
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
