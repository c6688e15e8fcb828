import type { Ui } from '../../cli/command.ts';
import { folded } from '../../cli/output/text.ts';
import { type Accepted, acceptedText, type Observations } from './observations.ts';
import { type Clause, type Judged, type Verdict, verdicts } from './judge.ts';

type JudgedClause = Omit<Clause, 'expectation'> & Judged;

/** The comparison with the document. Contains no record values and no key. */
export interface Report {
  readonly clauses: readonly JudgedClause[];
  /** Accepted requests that should have been refused; after the first, no more are posted to that endpoint. */
  readonly accepted: readonly Accepted[];
  readonly calls: number;
}

const titles = [
  'Service',
  'Resources and their fields',
  'States and transitions',
  'Endpoints',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
  'Versioning',
] as const;

/** The report for people, by the document's sections. */
export function reportText(
  { clauses, accepted, calls }: Report,
  { address, shownKey }: Omit<Observations, 'all'>,
  { color }: Ui,
): string {
  const asked = clauses.filter(({ verdict }) => verdict !== 'not checkable');
  const blocks = titles.flatMap((title, at) => {
    const here = asked.filter(({ section }) => section.startsWith(`§${at + 1}`));
    const lines = here.flatMap((clause) => clauseLines(clause, color));
    return lines.length > 0 ? [[color.bold(`§${at + 1} ${title}`), ...lines]] : [];
  });
  const hidden = clauses.filter(({ verdict }) => verdict === 'not checkable');
  const last = [
    color.bold('Not checkable from outside'),
    ...hidden.flatMap(({ section, statement, seen }) =>
      entry(section.split(',')[0] ?? '', `${statement}: ${seen.join('; ')}`),
    ),
  ];
  const place = address === 'local' ? 'of the sandbox on this machine' : `at ${address}`;
  const head = `The API ${place}, key ${shownKey}, compared with its document; ${calls} calls`;
  return [wrapped(head, 80), ...warning(accepted, color), ...blocks, last, wrapped(summary(clauses), 80)]
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

/** A prominent warning about accepted requests. */
function warning(accepted: readonly Accepted[], color: Ui['color']): readonly (readonly string[])[] {
  if (accepted.length === 0) return [];
  const title = 'Invalid requests were accepted:';
  const next = 'No more requests were posted there.';
  return [
    [
      color.red(title),
      ...accepted.flatMap((one) => entry('taken', acceptedText(one), color.red)),
      ...wrapped(next, 80),
    ],
  ];
}

/** The color of each verdict, and its words in the summary. */
const looks: Readonly<Record<Verdict, readonly [shade: 'green' | 'red' | 'yellow' | 'cyan' | 'dim', counted: string]>> =
  {
    holds: ['green', 'hold'],
    differs: ['red', 'differ'],
    unclear: ['yellow', 'unclear'],
    'not tried': ['dim', 'were not tried'],
    seen: ['yellow', 'were seen'],
    'not seen': ['dim', 'were not seen'],
    'not checkable': ['dim', 'cannot be checked from outside'],
    found: ['cyan', 'found'],
    open: ['dim', 'open'],
  };

/** Observations that confirm a clause are only in the JSON. */
function clauseLines({ verdict, section, statement, seen }: JudgedClause, color: Ui['color']): readonly string[] {
  const paint = color[looks[verdict][0]];
  if (verdict === 'open') return entry(verdict, `${statement}: ${seen.join('; ')}`, paint);
  const text = verdict === 'differs' ? `${statement} (${section})` : statement;
  return [...entry(verdict, text, paint), ...details(verdict, seen).flatMap((line) => entry('', `  ${line}`))];
}

function details(verdict: Verdict, seen: readonly string[]): readonly string[] {
  if (verdict === 'holds') return [];
  const isList = verdict === 'found' && seen.every((line) => line.length <= 40 && !line.includes(', '));
  return isList ? [seen.join(', ')] : seen;
}

function summary(clauses: readonly JudgedClause[]): string {
  const counts = verdicts.map((verdict) => [verdict, clauses.filter((one) => one.verdict === verdict).length] as const);
  const shown = counts.filter(([verdict, count]) => count > 0 || verdict === 'differs');
  return shown.map(([verdict, count]) => `${count} ${looks[verdict][1]}`).join(', ');
}

const margin = 12;

/** A word in the margin, and the text next to it, wrapped. */
function entry(word: string, text: string, paint: Ui['color']['red'] = (plain) => plain): readonly string[] {
  const gap = ' '.repeat(margin - 2 - word.length);
  return wrapped(text, 80 - margin).map((line, at) =>
    at === 0 ? `  ${paint(word)}${gap}${line}` : `${' '.repeat(margin)}${line}`,
  );
}

/** Wraps a text, and keeps its indentation. */
function wrapped(text: string, width: number): readonly string[] {
  return folded([text], width, /^ */.exec(text)?.[0]).split('\n');
}
