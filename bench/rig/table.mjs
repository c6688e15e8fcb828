// Prints rows of figures, each with its rival and its limit.
import { median } from './quantiles.mjs';

/**
 * A ratio must be at least `least` and at most `most`, and so must the ratio by CPU. The median of several
 * rounds counts.
 * @typedef {{ what: string, value: string, ratios?: number[], cpu?: number, rival?: string, least?: number,
 *   most?: number, note?: string }} Row
 */

export const head = ['what', 'value', 'ratio', 'rounds', 'by CPU', 'rival', 'limit', '', ''];

/** @param {Row[]} rows */
export function printTable(rows) {
  const cells = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

/** Formats a row in the order of the head. */
export function cellsOf({ what, value, ratios = [], cpu, rival = '', least, most, note = '' }) {
  const counted = ratios.length > 0 ? [median(ratios), ...(cpu === undefined ? [] : [cpu])] : [];
  const [ratio = '', byCpu = ''] = counted.map(two);
  const spread = ratios.length > 1 ? `${two(Math.min(...ratios))}–${two(Math.max(...ratios))}` : '';
  const limit = least === undefined ? (most === undefined ? '' : `≤ ${most}`) : `≥ ${least}`;
  const isMet = counted.every((one) => one >= (least ?? 0) && one <= (most ?? Infinity));
  const verdict = limit && (isMet ? 'met' : 'MISSED');
  return [what, value, ratio, spread, byCpu, rival, limit, verdict, note];
}

export function two(number) {
  return number.toFixed(2);
}

export function whole(number) {
  return Math.round(number).toLocaleString('en');
}

export function perSecond(number) {
  return `${whole(number)}/s`;
}

export function milliseconds(number) {
  return `${number.toFixed(number < 10 ? 2 : 0)} ms`;
}

export function megabytes(bytes) {
  return `${whole(bytes / 2 ** 20)} MiB`;
}
