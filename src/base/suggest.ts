import { existsSync } from 'node:fs';
import { namesIn } from './files.ts';
import { shellWord } from './shell-word.ts';

/** The candidate that a mistyped word most likely meant, if one is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(word.length / 3));
  const scored = candidates
    .filter(({ length }) => Math.abs(length - word.length) <= most)
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }));
  const best = scored.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= most ? best.candidate : undefined;
}

/** Those that begin with the word, the shortest first; without any, the nearest. */
export function likely(word: string, candidates: readonly string[]): readonly string[] {
  const begun = candidates.filter((candidate) => candidate.startsWith(word));
  if (begun.length > 0) return begun.sort((a, b) => a.length - b.length);
  const near = nearest(word, candidates);
  return near === undefined ? [] : [near];
}

/** Edits between two words, where two letters swapped count as one (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (up: number, left: number) => (up === 0 ? row[j - left] : rows[i - up]?.[j - left]) ?? Infinity;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(2, 2) + 1 : Infinity;
      row.push(Math.min(at(1, 0) + 1, at(0, 1) + 1, at(1, 1) + (a[i - 1] === b[j - 1] ? 0 : 1), swapped));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? Infinity;
}

/** More names than anybody looks through. */
const most = 5_000;

/** What a path that leads nowhere most likely meant, as a hint: the nearest name in the same folder. */
export function nearFile(path: string): string | undefined {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const name = path.slice(folder.length);
  if (name.length < 2 || existsSync(path)) return undefined;
  const [near] = likely(name, namesIn(folder === '' ? '.' : folder).slice(0, most));
  return near === undefined ? undefined : `did you mean ${shellWord(folder + near)}?`;
}
