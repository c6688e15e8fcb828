// Prints rows of figures, each with its limit and the reason for it.
import { median } from './quantiles.mjs';

/**
 * A row has a rival and the ratios to it (the median counts), or a figure of its own, which `show` formats.
 * Either must be at least `least` or at most `most`. The ratio by CPU counts only if there is `leastByCpu`.
 * @typedef {{ what: string, value?: string, rival?: string, ratios?: number[], cpu?: number, figure?: number,
 *   show?: (figure: number) => string, least?: number, most?: number, leastByCpu?: number, why: string,
 *   note?: string }} Row
 * @typedef {{ what: string, unmeasured: string }} Unmeasured
 */

export const head = ['what', 'value', 'rival', 'ratio', 'limit', 'met?', 'why', 'note'];

/** Formats a row in the order of the head. @param {Row | Unmeasured} row */
export function cellsOf(row) {
  const { what, unmeasured, figure, show = String, value = show(figure), rival = '', why, note = '' } = row;
  if (unmeasured !== undefined) return [what, '', '', '', '', '', '', `not measured: ${unmeasured}`];
  const limit = limitOf(row);
  if (!limit || !why) throw new Error(`${what} has no limit or no reason for it`);
  return [what, value, rival, ratioOf(row), limit, isMet(row) ? 'met' : 'MISSED', why, note];
}

function ratioOf({ ratios, cpu }) {
  if (ratios === undefined) return '';
  const show = Math.abs(median(ratios) - 1) < 0.05 ? (ratio) => ratio.toFixed(3) : two;
  const spread = ratios.length > 1 ? ` (${show(Math.min(...ratios))}–${show(Math.max(...ratios))})` : '';
  return `${show(median(ratios))}${spread}${cpu === undefined ? '' : `, CPU ${two(cpu)}`}`;
}

function limitOf({ least, most, leastByCpu, show = String }) {
  const limits = [
    ...(least === undefined ? [] : [`≥ ${show(least)}`]),
    ...(most === undefined ? [] : [`≤ ${show(most)}`]),
    ...(leastByCpu === undefined ? [] : [`CPU ≥ ${leastByCpu}`]),
  ];
  return limits.join(', ');
}

function isMet({
  ratios,
  figure = median(ratios),
  cpu = Infinity,
  least = -Infinity,
  most = Infinity,
  leastByCpu = 0,
}) {
  return figure >= least && figure <= most && cpu >= leastByCpu;
}

/** Returns a table in Markdown, padded for terminals and without empty columns. */
export function tableOf(rows) {
  const columns = head.map((name, at) => [name, ...rows.map((row) => row[at].replaceAll('|', '\\|'))]);
  const padded = columns.filter(([, ...cells]) => cells.some(Boolean)).map(padColumn);
  return padded[0].map((_, line) => `| ${padded.map((cells) => cells[line]).join(' | ')} |`).join('\n');
}

function padColumn([name, ...cells]) {
  const width = Math.max(3, name.length, ...cells.map((cell) => cell.length));
  return [name, '-'.repeat(width), ...cells].map((cell) => cell.padEnd(width));
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
  return `${whole(bytes / 1e6)} MB`;
}
