// Measures contestants in turns, and prints rows of figures, each with its limit and the reason for it.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { endAll } from './processes.mjs';

export const head = ['what', 'value', 'rival', 'ratio', 'limit', 'met?', 'why', 'note'];

/**
 * Runs the parts named on the command line, or all of them; the short forms with --quick. Each part returns rows; of one
 * that fails, such as for want of a rival, a row says why.
 */
export async function measure(about, parts) {
  const options = { quick: { type: 'boolean', default: false }, cells: { type: 'string' } };
  const { values, positionals: asked } = parseArgs({ options, allowPositionals: true });
  const cells = [];
  for (const name of asked.length > 0 ? asked : Object.keys(parts)) {
    const rows = parts[name](values.quick).catch(({ message }) => [{ what: name, unmeasured: message.split('\n')[0] }]);
    cells.push(...(await rows).map(cellsOf));
    await endAll();
  }
  console.log(`${about}\n\n${tableOf(cells)}`);
  if (values.cells !== undefined) writeFileSync(values.cells, JSON.stringify({ about, cells }));
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
  const ratios = (one, other, field) => each(one, field).map((value, at) => value / each(other, field)[at]);
  return {
    middle: (contestant, field) => median(each(contestant, field)),
    /** The cells of a row: both values, their ratios by round, and the ratio of work per CPU time. */
    beside: (one, other, field = 'perSecond') => ({
      value: perSecond(median(each(one, field))),
      rival: `${other.name}: ${perSecond(median(each(other, field)))}`,
      ratios: ratios(one, other, field),
      cpu: median(ratios(other, one, 'cpu')),
    }),
  };
}

/**
 * A row has a rival and the ratios to it (the median counts), or a figure of its own, which `show` formats.
 * Either must be at least `least` or at most `most`. The ratio by CPU counts only if there is `leastByCpu`.
 */
function cellsOf({ what, unmeasured, show = String, figure, value = show(figure), rival = '', ...row }) {
  if (unmeasured !== undefined) return [what, '', '', '', '', '', '', `not measured: ${unmeasured}`];
  const { ratios, cpu, least, most, leastByCpu, why, note = '' } = row;
  const limits = Object.entries({ '≥': least, '≤': most, 'CPU ≥': leastByCpu }).filter(
    ([, limit]) => limit !== undefined,
  );
  if (limits.length === 0 || !why) throw new Error(`${what} has no limit or no reason for it`);
  const counts = figure ?? median(ratios);
  const isMet = counts >= (least ?? -Infinity) && counts <= (most ?? Infinity) && !(cpu < leastByCpu);
  const limit = limits.map(([sign, limit]) => `${sign} ${ratios ? limit : show(limit)}`).join(', ');
  return [what, value, rival, ratios ? ratioText(ratios, cpu) : '', limit, isMet ? 'met' : 'MISSED', why, note];
}

function ratioText(ratios, cpu) {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  const range = ratios.length > 1 ? ` (${low}–${high})` : '';
  return `${median(ratios).toFixed(2)}${range}${cpu > 0 ? `, CPU ${cpu.toFixed(2)}` : ''}`;
}

/** A table in Markdown, padded for terminals and without empty columns. */
export function tableOf(rows) {
  const columns = head.map((name, at) => [name, ...rows.map((row) => row[at])]);
  const padded = columns
    .filter(([, ...cells]) => cells.some(Boolean))
    .map(([name, ...cells]) => {
      const width = Math.max(...[name, ...cells].map((cell) => cell.length));
      return [name, '-'.repeat(width), ...cells].map((cell) => cell.padEnd(width));
    });
  return padded[0].map((_, line) => `| ${padded.map((cells) => cells[line]).join(' | ')} |`).join('\n');
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
