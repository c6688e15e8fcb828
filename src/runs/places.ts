import type { Unit } from './input/source.ts';

const mostRanges = 20;

/** A list of lines, shortened: `lines 3, 7–9 and 20 more`. `places` may have only the first of them. */
export function placesIn(places: readonly number[], count: number, unit: Unit = 'line'): string {
  const sorted = [...new Set(places)].sort((a, b) => a - b);
  const ranges = rangesOf(sorted).slice(0, mostRanges);
  const shown = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const texts = ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  const left = count - shown - (places.length - sorted.length);
  return `${unit}${count === 1 ? '' : 's'} ${texts.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

function rangesOf(sorted: readonly number[]): readonly (readonly [first: number, last: number])[] {
  const ranges: [number, number][] = [];
  for (const place of sorted) {
    const range = ranges.at(-1);
    if (range && place === range[1] + 1) range[1] = place;
    else ranges.push([place, place]);
  }
  return ranges;
}
