import { usage } from '../base/errors.ts';
import { shellQuote } from '../base/shell-quote.ts';
import type { Ledger, RunPlan } from '../ledger/ledger.ts';
import { type Hours, isZone } from './hours.ts';

/** When a run begins to send. */
export interface Start {
  /** A time without a date is today's, until a run that was to begin at yesterday's goes on. */
  at: number;
  /** The same time on the day before, if no date was given. */
  readonly before: number | undefined;
  /** A time in the zone of the start. */
  timeText(time: number): string;
  /** The same time of day on the next day after `now`, as `--at` takes it. */
  next(now: number): string;
}

const form = /^(?:(\d{4}-\d\d-\d\d)[T ])?(\d{1,2}):(\d\d)(?::00)?\s*(\S+)?$/;
const [minute, day] = [60_000, 86_400_000];

/** `--at`: `09:00`, `2026-05-01 09:00` or `"09:00 Europe/Berlin"`; local without a zone, and today without a date. */
export function atFlag(text: string): (now: number) => Start {
  const [, date, hours, minutes, zoneText] = form.exec(text.trim()) ?? [];
  const ofDay = (Number(hours) * 60 + Number(minutes)) * minute;
  const isDate = date === undefined || dateOf(Date.parse(date)) === date;
  if (Number(hours) > 23 || Number(minutes) > 59 || !isDate || Number.isNaN(ofDay))
    throw usage(`"${text}" is not a time`, `such as ${example}`);
  const zone = zoneOf(zoneText);
  const dayOf = (time: number) => dateOf(time + zone.offsetAt(time));
  const wallText = (time: number) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}${zone.suffix}`;
  return (now) => ({
    at: momentOf(Date.parse(date ?? dayOf(now)) + ofDay, zone),
    before: date === undefined ? momentOf(Date.parse(dayOf(now)) - day + ofDay, zone) : undefined,
    timeText: (time) => wallText(time + zone.offsetAt(time)),
    next: (now) => wallText(Date.parse(dayOf(now)) + day + ofDay),
  });
}

const example = '09:00, "2026-05-01 09:00" or "09:00 Europe/Berlin"';

interface Zone {
  /** Milliseconds by which its clocks are ahead of UTC. */
  offsetAt(time: number): number;
  /** The text after a time. */
  readonly suffix: string;
}

function zoneOf(text: string | undefined): Zone {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(text === 'Z' ? '+00:00' : (text ?? '')) ?? [];
  if (sign !== undefined) {
    const offset = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * minute;
    return { offsetAt: () => offset, suffix: text === 'Z' ? ' UTC' : ` ${text}` };
  }
  const name = text ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!isZone(name)) throw usage(`this machine knows no time zone "${name}"`, 'such as Europe/Berlin, UTC or +02:00');
  // Sweden writes dates in the form 2026-05-01.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: name, dateStyle: 'short', timeStyle: 'short' });
  const offsetAt = (time: number) =>
    Date.parse(`${clock.format(time).replace(' ', 'T')}Z`) - Math.floor(time / minute) * minute;
  return { offsetAt, suffix: ` ${name}` };
}

/** The moment at which a clock in the zone shows this time. */
function momentOf(wall: number, { offsetAt }: Zone): number {
  return wall - offsetAt(wall - offsetAt(wall));
}

function dateOf(time: number): string {
  return Number.isNaN(time) ? '' : new Date(time).toISOString().slice(0, 10);
}

/** Hours that begin at the start, if there are any. */
export function hoursFrom(start: Start, hours: Hours | undefined): Hours {
  const from = (time: number) => Math.max(time, start.at);
  return {
    text: hours?.text ?? '',
    get startsAt() {
      return start.at;
    },
    isOpen: (time) => time >= start.at && (hours?.isOpen(time) ?? true),
    timeText: hours?.timeText ?? start.timeText,
    opensAt: (time) => hours?.opensAt(from(time)) ?? from(time),
    resumesAt: (time) => hours?.resumesAt(from(time)) ?? from(time),
    endOf: (time, milliseconds) => hours?.endOf(from(time), milliseconds) ?? from(time) + milliseconds,
  };
}

/**
 * Refuses a start that has passed, unless the command continues a run that was to begin then. After midnight, such a
 * run goes on although today's time is still to come.
 */
export async function checkStart(
  start: Start | undefined,
  { ledger, plan, now }: { readonly ledger: Pick<Ledger, 'register' | 'runs'>; plan: RunPlan; now: number },
): Promise<void> {
  if (!start) return;
  const isYesterdayNearer = start.before !== undefined && now - start.before < start.at - now;
  if (start.at > now && !isYesterdayNearer) return;
  const foreseen = await ledger.register({ ...plan, isRehearsal: true });
  // The user has to decide about something else first.
  if (foreseen.stop) return;
  const known = foreseen.continues && (await ledger.runs()).find(({ id }) => id === foreseen.run);
  if (start.at > now) {
    const isOpen = known && !(known.isFinished && known.hasEnded);
    if (isOpen && known.startsAt === start.before) start.at = start.before;
    return;
  }
  if (known && known.startsAt > 0 && known.startsAt <= now) return;
  // For example, a time without a zone on a machine in another zone.
  if (known && known.startsAt > now) {
    const due = start.timeText(known.startsAt);
    const hint = `nothing was sent; --at ${shellQuote(due)} waits for that; without --at it begins now`;
    throw usage(`--at: ${start.timeText(start.at)} has passed, and run ${known.id} is to begin ${due}`, hint);
  }
  const hint = `nothing was sent; for tomorrow: --at ${shellQuote(start.next(now))}; without --at it begins now`;
  throw usage(`--at: ${start.timeText(start.at)} has passed`, hint);
}
