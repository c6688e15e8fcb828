import type { Ui } from '../../cli/command.ts';
import { folded } from '../../cli/output/text.ts';
import { type Accepted, acceptedText } from './observations.ts';
import type { Found, Gap } from './gaps.ts';
import { type Clause, type Facts, type Judged, type Verdict, verdicts } from './verdict.ts';

type JudgedClause = Omit<Clause, 'judge'> & Judged;
type FilledGap = Omit<Gap, 'find'> & Found;

/** The comparison with the document. Contains no record values and no key. */
export interface Report {
  readonly clauses: readonly JudgedClause[];
  readonly notShown: readonly FilledGap[];
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
  { clauses, notShown, accepted, calls }: Report,
  { address, shownKey }: Facts,
  { color }: Ui,
): string {
  const asked = clauses.filter(({ verdict }) => verdict !== 'not checkable');
  const blocks = titles.flatMap((title, at) => {
    const isHere = ({ section }: { readonly section: string }) => section.startsWith(`§${at + 1}`);
    const lines = [
      ...asked.filter(isHere).flatMap((clause) => clauseLines(clause, color)),
      ...notShown.filter(isHere).flatMap((gap) => gapLines(gap, color)),
    ];
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
  const next = 'No more requests were posted there. bizmsg activity lists them.';
  return [
    [
      color.red(title),
      ...accepted.flatMap((one) => entry('taken', acceptedText(one), color.red)),
      ...wrapped(next, 80),
    ],
  ];
}

const shades: Readonly<Record<Verdict, 'green' | 'red' | 'yellow' | 'dim'>> = {
  holds: 'green',
  differs: 'red',
  unclear: 'yellow',
  'not tried': 'dim',
  seen: 'yellow',
  'not seen': 'dim',
  'not checkable': 'dim',
};

/** Observations that confirm a clause are only in the JSON. */
function clauseLines({ verdict, section, statement, seen }: JudgedClause, color: Ui['color']): readonly string[] {
  const details = verdict === 'holds' ? [] : seen.flatMap((line) => entry('', `  ${line}`));
  const text = verdict === 'differs' ? `${statement} (${section})` : statement;
  return [...entry(verdict, text, color[shades[verdict]]), ...details];
}

function gapLines({ what, found, why }: FilledGap, color: Ui['color']): readonly string[] {
  if (why !== null) return entry('open', `${what}: ${why}`, color.dim);
  const lines = found.some((line) => line.length > 40 || line.includes(', ')) ? found : [found.join(', ')];
  return [...entry('found', what, color.cyan), ...lines.flatMap((line) => entry('', `  ${line}`))];
}

const counted: Readonly<Record<Verdict, string>> = {
  holds: 'hold',
  differs: 'differ',
  unclear: 'unclear',
  'not tried': 'were not tried',
  seen: 'were seen',
  'not seen': 'were not seen',
  'not checkable': 'cannot be checked from outside',
};

function summary(clauses: readonly JudgedClause[]): string {
  const counts = verdicts.map((verdict) => [verdict, clauses.filter((one) => one.verdict === verdict).length] as const);
  const shown = counts.filter(([verdict, count]) => count > 0 || verdict === 'differs');
  return shown.map(([verdict, count]) => `${count} ${counted[verdict]}`).join(', ');
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
