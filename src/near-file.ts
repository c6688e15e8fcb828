import { existsSync, readdirSync } from 'node:fs';
import { likely } from './nearest.ts';
import { shellWord } from './shell-word.ts';

/** More names than anybody looks through. */
const most = 5_000;

/** What a path that leads nowhere most likely meant, as a hint: the nearest name in the same folder. */
export function nearFile(path: string): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(folder.length);
  if (name.length < 2 || existsSync(path)) return undefined;
  const [near] = likely(name, namesIn(folder === '' ? '.' : folder));
  return near === undefined ? undefined : `did you mean ${shellWord(folder + near)}?`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).slice(0, most);
  } catch {
    return [];
  }
}
