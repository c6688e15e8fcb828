import { type CliError, unsafe } from '../base/errors.ts';
import type { Context } from '../cli/command.ts';
import { rowsText, spanText, whole, zonedTime } from '../cli/output/figures.ts';
import {
  type Accepted,
  type Choice,
  type Earlier,
  type Ledger,
  type Note,
  type RunPlan,
  type Stop,
} from '../ledger/ledger.ts';
import { isSingles } from '../ledger/run.ts';
import type { Unit } from './input/source.ts';
import type { Preflight } from './preflight.ts';

export interface Registering {
  readonly context: Pick<Context, 'interactive' | 'choose'>;
  readonly ledger: Pick<Ledger, 'register'>;
  readonly plan: RunPlan;
  readonly found: Pick<Preflight, 'placeOf'>;
  readonly unit: Unit;
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
    const { message, ways } = describe(registered.stop, registering);
    if (!context.interactive || ways.length === 0) throw refusal(registered.stop, message, ways);
    const way = await context.choose(sentence(message), [cancel, ...ways]);
    if (way === cancel) throw unsafe('declined', 'declined; nothing was sent');
    plan = { ...plan, choice: { ...plan.choice, ...way.choice } };
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
  const held = notes.filter((note) => note.note === 'unsure-before');
  const others = resolvable(held.flatMap(({ earlier }) => earlier));
  const runs = unsure > held.reduce((sum, { rows }) => sum + rows, 0) ? [run, ...others] : others;
  return runs.map(resolveCommand);
}

function resolveCommand(run: string): string {
  return `bizmsg runs resolve ${run}`;
}

/** A decision of the ledger that the user should know. */
export function noteText(note: Note, input: RunPlan['input']): string {
  if (note.note === 'joined') return `another process is working on run ${note.run}, too; each row is sent once`;
  if (note.note === 'would-stop') {
    if (note.stop.reason !== 'sent-before') return `with a live key, this command would stop: ${note.stop.reason}`;
    const which = note.stop.rows === 1 ? 'it' : 'them';
    const why = sentBefore(note.stop, distinct(input));
    return `with a live key, this command would stop: ${why}; --new-only skips ${which}`;
  }
  const rows = rowsText(note.rows);
  const [was, are, them] = note.rows === 1 ? ['was', 'is', 'it'] : ['were', 'are', 'them'];
  switch (note.note) {
    case 'withdrawn':
      return `${rows} of this run will not be sent: the input no longer has ${them}`;
    case 'closed':
      return `run ${note.run} is closed, since it was idle for 7 days; ${rows} ${was} never sent`;
    case 'restarted':
      return `the machine was restarted while ${rows} ${was} in flight: ${note.rows === 1 ? 'it is' : 'they are'} unsure`;
    case 'imported-before':
      return `${rows} ${was} imported before${historyText(note.earlier, note.rows)}; --new-only skips ${them}`;
    case 'unsure-before':
      break;
  }
  const by = earlierText(note.earlier, note.rows);
  return `${rows} may have been sent before and ${are} held back${by}; ${unsureAdvice(note.earlier)}`;
}

/** An option that lets the command continue. */
interface Way {
  /** In the hint of a refusal. */
  readonly effect: string;
  /** In the menu. */
  readonly name: string;
  readonly choice: Choice;
}

/** The first choice: Enter alone sends nothing. */
const cancel: Way = { effect: '', name: 'Cancel', choice: {} };

interface Description {
  readonly message: string;
  readonly ways: readonly Way[];
}

/** `effect` begins with a regular verb: the hint has "--new-only sends…", the menu "Send…". */
function way(option: string, effect: string, choice: Choice): Way {
  const [verb = '', ...rest] = effect.split(' ');
  return { effect: [option, `${verb}s`, ...rest].join(' '), name: capitalized(effect), choice };
}

const separate = way('--again', 'start a separate run, which sends all rows', { again: true });

function describe(stop: Stop, { plan, found, unit }: Pick<Registering, 'plan' | 'found' | 'unit'>): Description {
  switch (stop.reason) {
    case 'sent-before': {
      const all = distinct(plan.input);
      return { message: sentBefore(stop, all), ways: waysToRepeat(stop, all) };
    }
    case 'idle': {
      const idle = spanText(stop.idle / 1_000);
      const why = stop.left > 0 ? `has not sent ${rowsText(stop.left)}` : 'was stopped before its end';
      const message = `run ${stop.run} has been idle for ${idle}, and ${why}`;
      return { message, ways: [way('--continue', 'send the rest', { continue: true }), separate] };
    }
    case 'other-account': {
      const message = `run ${stop.run} has these rows and is unfinished, but was started with another key or account`;
      return { message, ways: [way('--continue', 'send the rest with this key', { continue: true }), separate] };
    }
    case 'edited': {
      const place = `${unit} ${found.placeOf(stop.row)}`;
      const message =
        stop.rows === 1
          ? `${place} was changed after run ${stop.run} sent its recipient a message`
          : `${rowsText(stop.rows)} were changed after run ${stop.run} sent their recipients a message; the first is ${place}`;
      const them = stop.rows === 1 ? 'it' : 'them';
      const skip = way('--changed skip', `skip ${them}`, { changed: 'skip' });
      return { message, ways: [skip, way('--changed send', `send ${them} too`, { changed: 'send' }), separate] };
    }
    case 'too-many':
      break;
  }
  return { message: `${rowsText(stop.rows)} would be sent, more than --at-most ${plan.choice.atMost}`, ways: [] };
}

/** The number of rows without duplicates. */
function distinct({ count, isDuplicate }: RunPlan['input']): number {
  let found = 0;
  for (let row = 0; row < count; row++) if (!isDuplicate(row)) found += 1;
  return found;
}

function waysToRepeat({ rows, earlier }: SentBefore, all: number): readonly Way[] {
  const others = all - rows;
  const newOnly = way('--new-only', `send ${others === 1 ? 'the other row' : 'the other rows'}`, { newOnly: true });
  const retry = way('--retry-unsure', 'send the unsure rows once more', { retryUnsure: true });
  const again = way('--again', `send ${all === 1 ? 'it' : every(all)} once more`, { again: true });
  return [...(others > 0 ? [newOnly] : []), ...(unsureIn(earlier) > 0 ? [retry] : []), again];
}

const codes = {
  'sent-before': 'sent-before',
  idle: 'run-idle',
  'other-account': 'run-of-other-account',
  edited: 'rows-edited',
  'too-many': 'too-many-rows',
} as const;

function refusal(stop: Stop, message: string, ways: readonly Way[]): CliError {
  const advice = stop.reason === 'too-many' ? [`check the file, or give --at-most ${stop.rows}`] : [];
  const hint = ['nothing was sent', ...advice, ...ways.map(({ effect }) => effect)].join('; ');
  return unsafe(codes[stop.reason], message, hint);
}

type SentBefore = Extract<Stop, { readonly reason: 'sent-before' }>;

function sentBefore({ rows, earlier }: SentBefore, all: number): string {
  const some = `${whole(rows)} of ${whole(all)} rows ${rows === 1 ? 'was' : 'were'}`;
  const which = rows === all ? `${every(all)} ${all === 1 ? 'was' : 'were'}` : some;
  return `${which} sent before${historyText(earlier, rows)}`;
}

/** How many of these rows are unsure, and which runs have them. */
function historyText(earlier: readonly Earlier[], rows: number): string {
  const [unsure, by] = [unsureIn(earlier), earlierText(earlier, rows)];
  if (unsure === 0) return by;
  const doubt = `, or may have been (${whole(unsure)} ${unsure === 1 ? 'is' : 'are'} unsure)`;
  return `${doubt}${by.startsWith(' ') ? ',' : ''}${by}`;
}

function every(all: number): string {
  if (all === 1) return 'this row';
  return all === 2 ? 'both rows' : `all ${whole(all)} rows`;
}

function unsureIn(earlier: readonly Earlier[]): number {
  return earlier.reduce((sum, { unsure }) => sum + unsure, 0);
}

/** The latest three runs: " by run 3f9a1c20be41 (last at …)", or for several runs ": 12 by …, 8 by …". */
function earlierText(earlier: readonly Earlier[], rows: number): string {
  const latest = [...earlier].sort((a, b) => b.at - a.at).slice(0, 3);
  const [only] = latest;
  if (only && latest.length === 1 && only.rows === rows) return ` ${byText(only)}`;
  const texts = latest.map((one) => `${whole(one.rows)} ${byText(one)}`);
  const more = earlier.length - latest.length;
  if (more > 0) texts.push(`the rest by ${more === 1 ? '1 other run' : `${more} other runs`}`);
  return `: ${texts.join(', ')}`;
}

function byText({ run, job, at, host }: Earlier): string {
  const by = isSingles(run) ? 'by send-template' : `by run ${run}`;
  const name = job === undefined ? '' : `job ${job}, `;
  return `${by}${host === undefined ? '' : ` on ${host}`} (${name}last at ${zonedTime(at)})`;
}

/** Single messages belong to no run that the user could resolve. */
function unsureAdvice(earlier: readonly Earlier[]): string {
  const runs = resolvable(earlier).map((run) => `${resolveCommand(run)} --sent or --not-sent`);
  return `check, then: ${[...runs.slice(0, 3), '--retry-unsure sends them again'].join('; ')}`;
}

function resolvable(earlier: readonly Earlier[]): readonly string[] {
  return earlier.flatMap(({ run, unsure }) => (unsure === 0 || isSingles(run) ? [] : run));
}

function sentence(text: string): string {
  return `${capitalized(text)}.`;
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}
