import type { Unit } from '../bulk/rows/place.ts';
import type { Context } from '../cli/command.ts';
import type { CliError } from '../errors.ts';
import { unsafe } from '../errors.ts';
import type { Accepted, Choice, Earlier, Ledger, Note, Plan, Stop } from '../ledger/ledger.ts';
import { span, whole } from '../terminal/run-progress.ts';
import { zonedTime } from '../terminal/times.ts';
import type { Survey } from './survey.ts';

export interface Registering {
  readonly context: Pick<Context, 'interactive' | 'choose'>;
  readonly ledger: Pick<Ledger, 'register'>;
  readonly plan: Plan;
  readonly found: Pick<Survey, 'placeOf'>;
  readonly unit: Unit;
}

export interface Registered {
  readonly accepted: Accepted;
  /** With the user's answers: a second registration does not ask again. */
  readonly plan: Plan;
}

/** Registers the rows of an input; asks what the ledger leaves to the user, or refuses if nobody can be asked. */
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

function way(option: string, effect: string, choice: Choice): Way {
  return { option, effect: `${option} ${effect}`, name: `${effect[0]?.toUpperCase() ?? ''}${effect.slice(1)}`, choice };
}

const separate = way('--again', 'starts a separate run, which sends all rows', { again: true });

function describe(stop: Stop, { plan, found, unit }: Pick<Registering, 'plan' | 'found' | 'unit'>): Description {
  if (stop.reason === 'sent-before') {
    const others = plan.input.count - stop.rows;
    const rest = others === 1 ? 'the other row' : `the other ${whole(others)} rows`;
    const newOnly = others > 0 ? [way('--new-only', `sends ${rest}`, { newOnly: true })] : [];
    const again = way('--again', `sends ${stop.rows === 1 ? 'it' : 'all of them'} once more`, { again: true });
    return { message: sentBefore(stop, plan.input.count), ways: [...newOnly, again] };
  }
  if (stop.reason === 'idle') {
    const message = `run ${stop.run} has these rows, of which ${whole(stop.left)} are left, and has been idle for ${span(stop.idle / 1_000)}`;
    return { message, ways: [way('--continue', 'sends the rest', { continue: true }), separate] };
  }
  if (stop.reason === 'other-account') {
    const message = `run ${stop.run} has these rows and is not finished; another account or key started it`;
    return { message, ways: [way('--continue', 'goes on with this key', { continue: true }), separate] };
  }
  if (stop.reason === 'edited') {
    const others = stop.rows === 1 ? '' : `, and ${whole(stop.rows - 1)} more`;
    const place = `${unit} ${found.placeOf(stop.row)}`;
    const message = `${place}${others}: run ${stop.run} sent this recipient another message, which the input no longer has`;
    const skip = way('--changed skip', 'leaves such rows out', { changed: 'skip' });
    return { message, ways: [skip, way('--changed send', 'sends them too', { changed: 'send' }), separate] };
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
  return unsafe(codes[reason], message, ways.map(({ effect }) => effect).join('; ') || 'nothing was sent');
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
  return `${which} sent before: ${earlierText(earlier)}`;
}

/** The runs that matter most; a long list helps nobody. */
function earlierText(earlier: readonly Earlier[]): string {
  const latest = [...earlier].sort((a, b) => b.at - a.at).slice(0, 3);
  const texts = latest.map(({ run, job, at, rows, host }) => {
    const by = run.startsWith('singles ') ? 'by send-template' : `by run ${run}`;
    return `${whole(rows)} ${by}${job === undefined ? '' : ` (job ${job})`}${host === undefined ? '' : ` on ${host}`}, last at ${zonedTime(at)}`;
  });
  const more = earlier.length - latest.length;
  return [...texts, ...(more > 0 ? [`and by ${more} more runs`] : [])].join('; ');
}

function rowsText(count: number): string {
  return count === 1 ? '1 row' : `${whole(count)} rows`;
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}.`;
}

/** What the ledger did that the user should know. */
export function noteText(note: Note, all: number): string {
  if (note.note === 'joined') return `another process works on run ${note.run}; each row is sent by one of them`;
  if (note.note === 'withdrawn')
    return `${rowsText(note.rows)} of an earlier part of this run ${note.rows === 1 ? 'is' : 'are'} not in the input and will not be sent`;
  if (note.note === 'closed')
    return `run ${note.run} was idle for 7 days and is closed: ${rowsText(note.rows)} of it ${note.rows === 1 ? 'was' : 'were'} never sent`;
  if (note.note === 'imported-before')
    return `${rowsText(note.rows)} ${note.rows === 1 ? 'was' : 'were'} imported before: ${earlierText(note.earlier)}`;
  const why = note.stop.reason === 'sent-before' ? sentBefore(note.stop, all) : note.stop.reason;
  return `with a live key this would stop: ${why}`;
}
