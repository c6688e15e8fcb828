import type { Unit } from './input/source.ts';
import type { Context } from '../cli/command.ts';
import { type CliError, unsafe } from '../base/errors.ts';
import type { Accepted, Choice, Earlier, Ledger, Note, Plan, Stop } from '../ledger/ledger.ts';
import { span, whole } from '../cli/output/progress.ts';
import { zonedTime } from '../cli/output/times.ts';
import type { Preflight } from './preflight.ts';

export interface Registering {
  readonly context: Pick<Context, 'interactive' | 'choose'>;
  readonly ledger: Pick<Ledger, 'register'>;
  readonly plan: Plan;
  readonly found: Pick<Preflight, 'placeOf'>;
  readonly unit: Unit;
}

export interface Registered {
  readonly accepted: Accepted;
  /** With the user's answers: a second registration does not ask again. */
  readonly plan: Plan;
}

/** Registers the rows of an input; asks what the ledger leaves to the user, or refuses without a terminal. */
export async function register(registering: Registering): Promise<Registered> {
  const { ledger, context } = registering;
  let { plan } = registering;
  for (;;) {
    const registered = await ledger.register(plan);
    if (!registered.stop) return { accepted: registered, plan };
    const { message, ways } = describe(registered.stop, registering);
    if (!context.interactive || ways.length === 0) throw refusal(registered.stop, message, ways);
    const way = await context.choose(sentence(message), [...ways, cancel]);
    if (way === cancel) throw unsafe('declined', 'declined; nothing was sent');
    plan = { ...plan, choice: { ...plan.choice, ...way.choice } };
  }
}

/** One way to go on. */
interface Way {
  readonly option: string;
  readonly effect: string;
  readonly name: string;
  readonly choice: Choice;
}

const cancel: Way = { option: '', effect: '', name: 'Cancel', choice: {} };

interface Description {
  readonly message: string;
  readonly ways: readonly Way[];
}

/** `effect` begins with a regular verb: the hint has "--new-only sends…", the menu "Send…". */
function way(option: string, effect: string, choice: Choice): Way {
  const [verb = '', ...rest] = effect.split(' ');
  return { option, effect: [option, `${verb}s`, ...rest].join(' '), name: capitalized(effect), choice };
}

const separate = way('--again', 'start a separate run, which sends all rows', { again: true });

function describe(stop: Stop, { plan, found, unit }: Pick<Registering, 'plan' | 'found' | 'unit'>): Description {
  if (stop.reason === 'sent-before') {
    const { count } = plan.input;
    const others = count - stop.rows;
    const newOnly = way('--new-only', `send ${others === 1 ? 'the other row' : 'the other rows'}`, { newOnly: true });
    const again = way('--again', `send ${count === 1 ? 'it' : `all ${whole(count)} rows`} once more`, { again: true });
    const retry = way('--retry-unsure', 'send the unsure rows once more', { retryUnsure: true });
    const ways = [...(others > 0 ? [newOnly] : []), ...(unsureIn(stop.earlier) > 0 ? [retry] : []), again];
    return { message: sentBefore(stop, count), ways };
  }
  if (stop.reason === 'idle') {
    const message = `run ${stop.run} has been idle for ${span(stop.idle / 1_000)}, and has not sent ${rowsText(stop.left)}`;
    return { message, ways: [way('--continue', 'send the rest', { continue: true }), separate] };
  }
  if (stop.reason === 'other-account') {
    const message = `run ${stop.run} has these rows and is unfinished, but was started with another key or account`;
    return { message, ways: [way('--continue', 'send the rest with this key', { continue: true }), separate] };
  }
  if (stop.reason === 'edited') {
    const place = `${unit} ${found.placeOf(stop.row)}`;
    const message =
      stop.rows === 1
        ? `${place} was changed after run ${stop.run} sent its recipient a message`
        : `${rowsText(stop.rows)} were changed after run ${stop.run} sent their recipients a message; the first is ${place}`;
    const them = stop.rows === 1 ? 'it' : 'them';
    const skip = way('--changed skip', `skip ${them}`, { changed: 'skip' });
    return { message, ways: [skip, way('--changed send', `send ${them} too`, { changed: 'send' }), separate] };
  }
  return { message: `${rowsText(stop.rows)} would be sent, more than --at-most ${plan.choice.atMost}`, ways: [] };
}

const codes = {
  'sent-before': 'sent-before',
  idle: 'run-idle',
  'other-account': 'run-of-other-account',
  edited: 'rows-edited',
  'too-many': 'too-many-rows',
} as const;

function refusal({ reason }: Stop, message: string, ways: readonly Way[]): CliError {
  return unsafe(codes[reason], message, ['nothing was sent', ...ways.map(({ effect }) => effect)].join('; '));
}

function sentBefore(
  { rows, earlier }: Pick<Extract<Stop, { rows: number; earlier: unknown }>, 'rows' | 'earlier'>,
  all: number,
): string {
  const which =
    rows === all
      ? all === 1
        ? 'this row was'
        : `all ${whole(all)} rows were`
      : `${whole(rows)} of ${whole(all)} rows ${rows === 1 ? 'was' : 'were'}`;
  const unsure = unsureIn(earlier);
  const doubt = unsure === 0 ? '' : `, or may have been (${whole(unsure)} ${unsure === 1 ? 'is' : 'are'} unsure),`;
  return `${which} sent before${doubt}${earlierText(earlier, rows)}`;
}

function unsureIn(earlier: readonly Earlier[]): number {
  return earlier.reduce((sum, { unsure }) => sum + unsure, 0);
}

/** The latest three runs: " by run 3f9a1c20be41 (last at …)", or, of several, ": 12 by …, 8 by …". */
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

/** The unsure rows of single messages belong to no run that could be resolved. */
function settling(earlier: readonly Earlier[]): string {
  const runs = earlier.flatMap(({ run }) => (isSingles(run) ? [] : `bizmsg runs resolve ${run} --sent or --not-sent`));
  return ['check, then:', [...runs.slice(0, 3), '--retry-unsure sends them again'].join('; ')].join(' ');
}

function isSingles(run: string): boolean {
  return run.startsWith('singles ');
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${whole(count)} rows`;
}

function sentence(text: string): string {
  return `${capitalized(text)}.`;
}

function capitalized(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}`;
}

/** A decision of the ledger that the user should know. */
export function noteText(note: Note, all: number): string {
  if (note.note === 'joined') return `another process is working on run ${note.run}, too; each row is sent once`;
  if (note.note === 'withdrawn')
    return `${rowsText(note.rows)} of this run will not be sent: the input no longer has ${note.rows === 1 ? 'it' : 'them'}`;
  if (note.note === 'closed')
    return `run ${note.run} is closed, since it was idle for 7 days; ${rowsText(note.rows)} ${note.rows === 1 ? 'was' : 'were'} never sent`;
  if (note.note === 'restarted')
    return `the machine was restarted while ${rowsText(note.rows)} ${note.rows === 1 ? 'was' : 'were'} in flight: ${note.rows === 1 ? 'it is' : 'they are'} unsure`;
  if (note.note === 'imported-before')
    return `${rowsText(note.rows)} ${note.rows === 1 ? 'was' : 'were'} imported before${earlierText(note.earlier, note.rows)}; --new-only skips ${note.rows === 1 ? 'it' : 'them'}`;
  if (note.note === 'unsure-before')
    return `${rowsText(note.rows)} may have been sent before and ${note.rows === 1 ? 'is' : 'are'} held back${earlierText(note.earlier, note.rows)}; ${settling(note.earlier)}`;
  const why = note.stop.reason === 'sent-before' ? sentBefore(note.stop, all) : note.stop.reason;
  return `with a live key, this command would stop: ${why}`;
}
