// Measures contestants in turns, and prints rows of figures, each with its limit and the reason for it.
import { parseArgs } from 'node:util';
import { endAll } from './processes.mjs';

/**
 * Runs the parts named on the command line, or all of them; the short forms with --quick. Each part returns rows. Exits
 * with 1 if one missed its limit.
 */
export async function measure(about, parts) {
  const options = { quick: { type: 'boolean', default: false } };
  const { values, positionals: names } = parseArgs({ options, allowPositionals: true });
  const rows = [];
  for (const name of names.length > 0 ? names : Object.keys(parts)) {
    rows.push(...(await parts[name](values.quick)).map(cellsOf));
    await endAll();
  }
  console.log(`\n${about}\n\n${tableOf(rows)}`);
  if (rows.some((cells) => cells.includes('MISSED'))) process.exitCode = 1;
}

/**
 * Runs each contestant in every round, in alternating order, so that other load on the machine affects them equally. The
 * first round is a warm-up, and no round but one starts after the given seconds.
 */
export async function takeTurns(contestants, { rounds, seconds }, run) {
  const runs = new Map(contestants.map((contestant) => [contestant, []]));
  const end = performance.now() + seconds * 1_000;
  for (let round = -1; round < rounds && (round < 1 || performance.now() < end); round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const result = await run(contestant);
      if (round >= 0) runs.get(contestant).push(result);
    }
  }
  const each = (contestant, field) => runs.get(contestant).map((result) => result[field]);
  return {
    /** The cells of a row: both values, and their ratios by round. */
    compare: (contestant, rival, field = 'perSecond', show = perSecond) => ({
      value: show(median(each(contestant, field))),
      rival: `${rival.name}: ${show(median(each(rival, field)))}`,
      ratios: each(contestant, field).map((value, round) => value / each(rival, field)[round]),
    }),
  };
}

/** A row has the ratios to a rival (the median counts), or a figure. It must be at least `least` or at most `most`. */
function cellsOf({ what, show = String, figure, value = show(figure), rival = '', ratios, least, most, why }) {
  const counts = figure ?? median(ratios);
  const isMet = least === undefined ? counts <= most : counts >= least;
  const limit = `${least === undefined ? '≤' : '≥'} ${ratios ? (least ?? most) : show(least ?? most)}`;
  return [what, value, rival, ratios ? ratioText(ratios) : '', limit, isMet ? 'met' : 'MISSED', why];
}

function ratioText(ratios) {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  return `${median(ratios).toFixed(2)}${ratios.length > 1 ? ` (${low}–${high})` : ''}`;
}

function tableOf(rows) {
  const lines = [['what', 'value', 'rival', 'ratio', 'limit', 'met?', 'why'], ...rows];
  const widths = lines[0].map((_, at) => Math.max(...lines.map((cells) => cells[at].length)));
  return lines.map((cells) => cells.map((cell, at) => cell.padEnd(widths[at])).join('  ')).join('\n');
}

/** The quantile: this share of the numbers is not larger. */
export function at(share, numbers) {
  return Float64Array.from(numbers).sort()[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
}

export const median = (numbers) => at(0.5, numbers);
export const whole = (number) => Math.round(number).toLocaleString('en');
const perSecond = (number) => `${whole(number)}/s`;
export const milliseconds = (number) => `${number.toFixed(number < 10 ? 2 : 0)} ms`;
export const megabytes = (bytes) => `${whole(bytes / 1e6)} MB`;
