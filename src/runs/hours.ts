import { usage } from '../base/errors.ts';
import { timeIn } from '../cli/output/figures.ts';

/** When messages may be sent: `mon-fri 09:00-18:00, sat 10:00-14:00 Europe/Berlin`. */
export interface Hours {
  readonly text: string;
  isOpen(time: number): boolean;
  /** A time in the zone of the hours. */
  timeText(time: number): string;
  /** When sending may go on: the time itself if it may now. */
  opensAt(time: number): number;
  /** When they begin again, after their next end if it is not over: a run is not idle before. */
  resumesAt(time: number): number;
  /** The end of work that begins at this time and takes this many milliseconds. */
  endOf(time: number, milliseconds: number): number;
}

interface Range {
  readonly days: ReadonlySet<number>;
  /** Minutes of the day; a range that ends before it begins goes on after midnight. */
  readonly from: number;
  readonly to: number;
}

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const minute = 60_000;
const minutesOfWeek = 7 * 24 * 60;
const week = minutesOfWeek * minute;

export function hoursFlag(text: string): Hours {
  const space = text.trim().lastIndexOf(' ');
  const minuteOfWeek = minuteOfWeekIn(text.trim().slice(space + 1), text);
  const ranges = text
    .trim()
    .slice(0, Math.max(space, 0))
    .split(/(?<=\d)\s*,\s*/)
    .map((part) => rangeIn(part, text));
  const zone = text.trim().slice(space + 1);
  return createHours(text.trim(), ranges, { minuteOfWeek, timeText: (time) => timeIn(zone, time) });
}

interface Zone extends Pick<Hours, 'timeText'> {
  minuteOfWeek(time: number): number;
}

function createHours(text: string, ranges: readonly Range[], { minuteOfWeek, timeText }: Zone): Hours {
  const open = Array.from({ length: minutesOfWeek }, (_, at) => ranges.some((range) => includes(range, at)));
  const isOpen = (time: number) => open[minuteOfWeek(time)] === true;
  /** The latest answer of `opensAt`, which is asked again and again during one night. */
  let closed = { from: 0, to: 0 };
  /** The same of `resumesAt`, which each claim asks. */
  let resumes = { from: 0, until: 0, at: 0 };
  const opensAt = (time: number) => {
    if (time >= closed.from && time < closed.to) return closed.to;
    let at = time;
    // By minutes of real time, so that a change of the clocks needs no rule of its own.
    while (!isOpen(at)) at = nextMinute(at);
    closed = { from: time, to: at };
    return at;
  };
  return {
    text,
    isOpen,
    timeText,
    opensAt,
    resumesAt(time) {
      if (!isOpen(time)) return opensAt(time);
      if (time >= resumes.from && time < resumes.until) return resumes.at;
      let until = time;
      while (isOpen(until) && until < time + week) until = nextMinute(until);
      resumes = { from: time, until, at: isOpen(until) ? time : opensAt(until) };
      return resumes.at;
    },
    endOf(time, milliseconds) {
      let [at, left] = [time, milliseconds];
      for (;;) {
        while (!isOpen(at)) at = nextMinute(at);
        const step = Math.min(left, nextMinute(at) - at);
        left -= step;
        if (left <= 0) return at + step;
        at += step;
      }
    },
  };
}

function nextMinute(time: number): number {
  return (Math.floor(time / minute) + 1) * minute;
}

function includes({ days: on, from, to }: Range, at: number): boolean {
  const [day, time] = [Math.floor(at / 1_440), at % 1_440];
  if (from < to) return on.has(day) && time >= from && time < to;
  return (on.has(day) && time >= from) || (on.has((day + 6) % 7) && time < to);
}

/** The minute of the local week, which begins on Sunday. Clocks change at quarters of an hour. */
function minuteOfWeekIn(zone: string, text: string): (time: number) => number {
  const format = formatIn(zone, text);
  const known = new Map<number, number>();
  return (time) => {
    const quarter = Math.floor(time / (15 * minute));
    const first = known.get(quarter) ?? minuteAt(format, quarter * 15 * minute);
    known.set(quarter, first);
    return first + Math.floor(time / minute) - quarter * 15;
  };
}

function minuteAt(format: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const day = days.indexOf((parts.get('weekday') ?? '').toLowerCase());
  return day * 1_440 + Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
}

function formatIn(zone: string, text: string): Intl.DateTimeFormat {
  const form = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  try {
    if (/^[A-Z]\w*(?:\/[\w+-]+)*$/i.test(zone)) return new Intl.DateTimeFormat('en-US', { ...form, timeZone: zone });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw usage(`"${text}" has no time zone at its end that this machine knows`, example);
}

const example = 'such as --hours "mon-fri 09:00-18:00 Europe/Berlin"';

function rangeIn(part: string, text: string): Range {
  const found = /^([a-z,\s-]+?)\s+(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})$/i.exec(part.trim());
  const on = found && daysIn(found[1] ?? '');
  const [from, to] = [minutesOf(found?.[2], found?.[3]), minutesOf(found?.[4], found?.[5])];
  if (!on || from === undefined || to === undefined || from === to || from === 1_440)
    throw usage(
      `"${text}" is not a list of hours`,
      /^\d/.test(part.trim()) ? `the weekdays are missing: ${example}` : example,
    );
  return { days: on, from, to };
}

function daysIn(text: string): ReadonlySet<number> | undefined {
  const found = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [first, last = first] = part
      .trim()
      .split(/\s*-\s*/)
      .map((name) => days.indexOf(name));
    if (first === undefined || last === undefined || first < 0 || last < 0 || part.split('-').length > 2)
      return undefined;
    for (let day = first; ; day = (day + 1) % 7) {
      found.add(day);
      if (day === last) break;
    }
  }
  return found;
}

function minutesOf(hours: string | undefined, minutes: string | undefined): number | undefined {
  const total = Number(hours) * 60 + Number(minutes);
  return Number(minutes) < 60 && total <= 1_440 ? total : undefined;
}
