// Rows of figures, each beside its rival and its limit.
import { median } from './load.mjs';

/**
 * With `least` a ratio must not be smaller, with `most` not larger. Several ratios are of rounds: their median counts.
 * @typedef {{ what: string, value: string, ratios?: number[], rival?: string, least?: number, most?: number,
 *   note?: string }} Row
 */

/** @param {Row[]} rows */
export function printTable(rows) {
  const cells = [['what', 'value', 'ratio', 'rounds', 'rival', 'limit', '', ''], ...rows.map(cellsOf)];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

function cellsOf({ what, value, ratios, rival = '', least, most, note = '' }) {
  if (!ratios) return [what, value, '', '', rival, '', '', note];
  const ratio = median(ratios);
  const limit = least === undefined ? (most === undefined ? '' : `≤ ${most}`) : `≥ ${least}`;
  const held = ratio >= (least ?? 0) && ratio <= (most ?? Infinity);
  const spread = ratios.length > 1 ? `${two(Math.min(...ratios))}–${two(Math.max(...ratios))}` : '';
  return [what, value, two(ratio), spread, rival, limit, limit && (held ? 'held' : 'MISSED'), note];
}

export function two(number) {
  return number.toFixed(2);
}

export function whole(number) {
  return Math.round(number).toLocaleString('en');
}

export function milliseconds(number) {
  return `${number.toFixed(number < 10 ? 2 : 0)} ms`;
}
