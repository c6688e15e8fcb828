import { type Check, checksOf } from './check.ts';

const { pass, warn } = checksOf('machine');

/** Those that the package names. */
export const engines = '^20.19.0 || ^22.13.0 || >=24';

/** When the life of each line of Node ends, as its makers announced it. */
const ends: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

export function nodeCheck(version: string, now: number): Check {
  const remedy = 'install a newer one: https://nodejs.org/en/download';
  if (!isIn(engines, version)) return warn('node', `${version}, and bizmsg is made for ${engines}`, remedy);
  const end = ends[partsOf(version)[0] ?? 0];
  const isOver = end !== undefined && now >= Date.parse(end);
  return isOver ? warn('node', `${version}, past its end of life on ${end}`, remedy) : pass('node', version);
}

function isIn(range: string, version: string): boolean {
  return range.split(' || ').some((one) => {
    const least = partsOf(one.replace(/^\D+/, ''));
    const isLine = !one.startsWith('^') || least[0] === partsOf(version)[0];
    return isLine && !isBefore(partsOf(version), least);
  });
}

function isBefore(one: readonly number[], other: readonly number[]): boolean {
  const at = other.findIndex((part, place) => part !== (one[place] ?? 0));
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

function partsOf(version: string): readonly number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10));
}
