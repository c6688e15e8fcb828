import { type CliError, unsafe, usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Context } from '../cli/command.ts';
import { rowsText, spanText, whole, zonedTime } from '../cli/output/figures.ts';
import type { Accepted, Choice, Earlier, Ledger, Note, RunPlan, SentBefore, Stop } from '../ledger/ledger.ts';
import { isSingles } from '../ledger/run.ts';
import { otherTextCounts } from '../ledger/twice.ts';
import type { Unit } from './input/source.ts';
import type { Preflight } from './preflight.ts';

export interface Registering {
  readonly context: Pick<Context, 'interactive' | 'choose'>;
  readonly ledger: Pick<Ledger, 'register' | 'sentSince'>;
  readonly plan: RunPlan;
  readonly found: Pick<Preflight, 'conflictRows'>;
  readonly unit: Unit;
  /** A column for `--per`, if the input has several messages for one recipient. */
  perColumn(): Promise<string | undefined>;
}

export interface Registration {
  readonly accepted: Accepted;
  /** With the user's answers: a second registration does not ask again. */
  readonly plan: RunPlan;
}

/** Registers the rows of an input; asks what the ledger leaves to the user, or refuses without a terminal. */
export async function register(registering: Registering): Promise<Registration> {
  const { ledger, context } = registering;
  let { plan } = registering;
  for (;;) {
    const registered = await ledger.register(plan);
    if (!registered.stop) return { accepted: registered, plan };
    const { stop } = registered;
    const { message, ways = [], hints = [] } = await describe(stop, { ...registering, plan });
    const answers = ways.flatMap(({ name, choice }) => (name === undefined ? [] : { name, choice }));
    if (!context.interactive || answers.length === 0) throw refusal(stop, message, [...ways, ...hints]);
    const nobody = { name: 'Nobody: send nothing', choice: {} };
    const answer = await context.choose(sentence(message), [nobody, ...answers]);
    if (answer === nobody) throw unsafe('declined', 'declined; nothing was sent');
    plan = { ...plan, choice: { ...plan.choice, ...answer.choice } };
  }
}

/** Undefined if there is nothing to send, or if another note replaces it. */
export function continuingText({ run, continues, counts: { done, due, retry }, notes }: Accepted): string | undefined {
  if (!continues || due + retry === 0 || notes.some(({ note }) => note === 'joined')) return undefined;
  return `continuing run ${run}: ${whole(done)} of these rows ${done === 1 ? 'was' : 'were'} sent before, ${whole(due + retry)} to send now`;
}

/**
 * Commands that lack only --sent or --not-sent, for the runs that have the unsure rows of this command: itself, and
 * others whose rows it holds back.
 */
export function resolveCommands({ run, notes }: Pick<Accepted, 'run' | 'notes'>, unsure: number): readonly string[] {
  const held = notes.flatMap((note) => (note.note === 'held-back' ? note.earlier : []));
  const runs = unsure > unsureIn(held) ? [run, ...resolvable(held)] : resolvable(held);
  return runs.map(resolveCommand);
}

function resolveCommand(run: string): string {
  return `bizmsg runs resolve ${run}`;
}

/** A decision of the ledger that the user should know. */
export function noteText(note: Note, plan: Pick<RunPlan, 'kind' | 'job'>): string {
  if (note.note === 'joined') return `another process is working on run ${note.run}, too; each row is sent once`;
  if (note.note === 'would-stop')
    return `with a live key, this command would stop: ${sentBefore(note.stop)}; --skip-sent skips ${themOf(note.stop.rows)}`;
  const rows = rowsText(note.rows);
  const [was, are] = note.rows === 1 ? ['was', 'is'] : ['were', 'are'];
  switch (note.note) {
    case 'withdrawn':
      return `${rows} of this run will not be sent: the input no longer has ${themOf(note.rows)}`;
    case 'closed':
      return `run ${note.run} is closed, since it was idle for 7 days; ${rows} ${was} never sent`;
    case 'replaced':
      return `run ${note.run} is closed, since its people get another text now; ${rows} ${was} never sent`;
    case 'restarted':
      return `the machine was restarted while ${rows} ${was} in flight: ${note.rows === 1 ? 'it is' : 'they are'} unsure`;
    case 'held-back':
      break;
  }
  const verb = plan.kind === 'contact' ? 'imported' : 'sent';
  const why = unsureIn(note.earlier) > 0 ? `may have been ${verb} before` : `${are} being ${verb}`;
  return `${rows} ${why}, ${earlierText(note.earlier)}, and ${are} held back; ${unsureAdvice(note.earlier)}`;
}

/** How the command can go on. */
interface Way {
  /** In the hint of a refusal. */
  readonly effect: string;
  /** The answer on a terminal, if it is one. */
  readonly name?: string;
  readonly choice?: Choice;
}

interface Description {
  readonly message: string;
  readonly ways?: readonly Way[];
  readonly hints?: readonly Way[];
}

const rest: Way = { effect: '--continue sends the rest', name: 'Send the rest', choice: { continue: true } };
const closing = (run: string): Way => ({ effect: `bizmsg runs close ${run} gives it up` });

async function describe(stop: Stop, registering: Registering): Promise<Description> {
  switch (stop.reason) {
    case 'sent-before':
      return describeSent(stop, registering);
    case 'idle': {
      const why = stop.left > 0 ? `has not sent ${rowsText(stop.left)}` : 'was stopped before its end';
      const message = `run ${stop.run} has been idle for ${spanText(stop.idle / 1_000)}, and ${why}`;
      return { message, ways: [rest], hints: [closing(stop.run)] };
    }
    case 'other-texts': {
      const message = `run ${stop.run} is unfinished, and has these people with other texts`;
      const effect = `${rest.effect}; those reached keep the first text`;
      return { message, ways: [{ ...rest, effect }], hints: [closing(stop.run)] };
    }
    case 'unfinished': {
      const { run, job } = stop;
      const without =
        job === undefined ? 'without --job and --again' : `with --job ${shellQuote(job)} and without --again`;
      const besides = { effect: `${without} the command sends the rest`, name: 'All once more, besides it' };
      const message = `${job === undefined ? '' : `job ${job}, `}run ${run} has these rows and is unfinished`;
      return { message, ways: [{ ...besides, choice: { besides: true } }], hints: [closing(run)] };
    }
    case 'job-unnamed': {
      const hint = { effect: `--job ${shellQuote(stop.job)} sends the rest` };
      return { message: `the unfinished job ${stop.job} has these rows`, hints: [hint, closing(stop.run)] };
    }
    case 'job-closed':
      return { message: `job ${stop.job} was closed`, hints: [{ effect: 'use another name' }] };
    case 'job-known': {
      const hint = { effect: 'another name sends all rows once more' };
      return { message: `job ${stop.job} exists, and was made without --again`, hints: [hint] };
    }
    case 'job-texts': {
      const message = `job ${stop.job} sent ${rowsText(stop.rows)} of this input with another text`;
      const hint = { effect: 'another --job NAME sends the new texts, with --per COLUMN if it repeats' };
      return { message, ways: [{ ...rest, effect: '--continue sends the other rows' }], hints: [hint] };
    }
    case 'other-per':
    case 'other-subject': {
      const what = stop.job === undefined ? `run ${stop.run}` : `job ${stop.job}`;
      return { message: `${what} was started with ${stop.was}, and this command has ${stop.is}` };
    }
    case 'too-many':
      break;
  }
  const message = `${rowsText(stop.rows)} would be sent, more than --at-most ${registering.plan.choice.atMost}`;
  return { message, hints: [{ effect: `check the file, or give --at-most ${stop.rows}` }] };
}

/** The number of rows without repeated ones. */
function distinct({ count, isFirst }: RunPlan['input']): number {
  let found = 0;
  for (let row = 0; row < count; row++) if (isFirst(row)) found += 1;
  return found;
}

async function describeSent(stop: SentBefore, registering: Registering): Promise<Description> {
  const { plan, found, unit, perColumn } = registering;
  const { rows, conflicts } = stop;
  const all = distinct(plan.input);
  const others = all - rows;
  const column = conflicts > 0 ? await perColumn() : undefined;
  const per = column === undefined ? '' : ` --per ${shellQuote(column)}`;
  const unsure = rows > 0 && unsureIn(stop.earlier) > 0;
  const job = plan.job === undefined ? '--job NAME ' : '';
  const ways: readonly (Way | false)[] = [
    conflicts > 0 && rows === 0 && per !== '' && { effect: `${per.trim()} sends each of these messages` },
    (others > 0 || conflicts > 0) && {
      effect: `--skip-sent${rows > 0 ? per : ''} sends ${rows > 0 ? otherText(others, plan) : 'the first of each'}`,
      name: `The others only, who did not get it: ${rowsText(others)}`,
      choice: { skipSent: otherTextCounts },
    },
    unsure && { effect: '--retry-unsure sends the unsure rows once more' },
    rows > 0 && {
      effect: `${job}--again${per} sends ${all === 1 ? 'it' : `all ${whole(all)}`} once more, for another occasion`,
      name: `All once more, also those who got it: ${rowsText(all)}`,
      choice: { again: true, seen: stop.tick, firstOfEach: true },
    },
  ];
  const again = conflicts === 0 ? [] : [conflictText(conflicts, found, unit)];
  const message = [...(rows > 0 ? [sentBefore(stop, plan.job !== undefined)] : []), ...again].join('; ');
  return { message, ways: ways.filter((way) => way !== false) };
}

function otherText(others: number, { first }: RunPlan): string {
  if (first !== undefined) return 'the others of the first rows';
  return others === 1 ? 'the other row' : `the other ${whole(others)} rows`;
}

function conflictText(conflicts: number, { conflictRows }: Pick<Preflight, 'conflictRows'>, unit: Unit): string {
  const some = conflictRows.slice(0, 3).map((row) => {
    const own = unit === 'line' ? row.line : row.row;
    return `${unit} ${own} has another message for the recipient of ${unit} ${row.as}`;
  });
  const more = conflicts - some.length;
  return [...some, ...(more > 0 ? [`and ${whole(more)} more`] : [])].join(', ');
}

const codes: Readonly<Record<Stop['reason'], Parameters<typeof unsafe>[0]>> = {
  'sent-before': 'sent-before',
  idle: 'run-idle',
  'other-texts': 'run-with-other-texts',
  unfinished: 'run-unfinished',
  'job-unnamed': 'job-unnamed',
  'job-closed': 'job-closed',
  'job-known': 'job-known',
  'job-texts': 'job-with-other-texts',
  'other-per': 'usage',
  'other-subject': 'usage',
  'too-many': 'too-many-rows',
};

function refusal({ reason }: Stop, message: string, ways: readonly Way[]): CliError {
  if (reason === 'other-per' || reason === 'other-subject')
    return usage(message, 'nothing was sent; use another --job');
  const hint = ['nothing was sent', ...ways.map(({ effect }) => effect)].join('; ');
  return unsafe(codes[reason], message, hint);
}

/** The counts, and which runs have the rows: of a job, other jobs first. */
function sentBefore({ rows, changed, recent, earlier }: SentBefore, isJob = false): string {
  const unsure = unsureIn(earlier);
  const counts = [
    `${whole(rows)} found`,
    ...(changed > 0 ? [`${whole(changed)} of them with another text now`] : []),
    ...(unsure > 0 ? [`${whole(unsure)} unsure`] : []),
  ];
  const more = recent > 0 ? `; ${whole(recent)} more got it within 30 days with another text` : '';
  const before = `people of this input got this template before${unsure > 0 ? ', or may have' : ''}`;
  return `${before}: ${counts.join(', ')}${earlier.length > 1 ? ':' : ','} ${earlierText(earlier, isJob)}${more}`;
}

function themOf(rows: number): string {
  return rows === 1 ? 'it' : 'them';
}

function unsureIn(earlier: readonly Earlier[]): number {
  return earlier.reduce((sum, { unsure }) => sum + unsure, 0);
}

/** The latest three runs: "by run 3f9a1c20be41 (last at …)", or for several runs "12 by …, 8 by …". */
function earlierText(earlier: readonly Earlier[], isJob = false): string {
  const isFirst = ({ job }: Earlier) => isJob && job !== undefined;
  const latest = earlier.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)) || b.at - a.at).slice(0, 3);
  const more = earlier.length - latest.length;
  const texts = latest.map((one) => `${earlier.length > 1 ? `${whole(one.rows)} ` : ''}${byText(one)}`);
  if (more > 0) texts.push(`the rest by ${more === 1 ? '1 other run' : `${more} other runs`}`);
  return texts.join(', ');
}

function byText({ run, job, at, host }: Earlier): string {
  const by = isSingles(run) ? 'by send-template' : `by run ${run}`;
  const name = job === undefined ? '' : `job ${job}, `;
  return `${by}${host === undefined ? '' : ` on ${host}`} (${name}last at ${zonedTime(at)})`;
}

/** Single messages belong to no run that the user could resolve. */
function unsureAdvice(earlier: readonly Earlier[]): string {
  if (unsureIn(earlier) === 0) return 'the same command sends what is left of them';
  const runs = resolvable(earlier).map((run) => `${resolveCommand(run)} --sent or --not-sent`);
  return `check, then: ${[...runs.slice(0, 3), '--retry-unsure sends them again'].join('; ')}`;
}

function resolvable(earlier: readonly Earlier[]): readonly string[] {
  return earlier.flatMap(({ run, unsure }) => (unsure === 0 || isSingles(run) ? [] : run));
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}
