import { usage } from '../base/errors.ts';
import { timeIn } from '../cli/output/figures.ts';

export type Hours = Readonly<ReturnType<typeof hoursFlag>>;

interface Range {
  readonly days: ReadonlySet<number>;
  /** Minutes of the day; a range that ends before it begins goes on after midnight. */
  readonly from: number;
  readonly to: number;
}

const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const minute = 60_000;
const minutesOfDay = 24 * 60;
const example = 'such as --hours "mon-fri 09:00-18:00 Europe/Berlin"';

/** When messages may be sent: `mon-fri 09:00-18:00, sat 10:00-14:00 Europe/Berlin`. */
export function hoursFlag(text: string) {
  const [, list = '', zone = ''] = /^(.*?)\s*(\S*)$/s.exec(text.trim()) ?? [];
  const minuteOfWeek = minuteOfWeekIn(zone, text);
  const ranges = list.split(/(?<=\d)\s*,\s*/).map((part) => rangeIn(part, text));
  const open = Array.from({ length: 7 * minutesOfDay }, (_, at) => ranges.some((range) => includes(range, at)));
  const isOpen = (time: number) => open[minuteOfWeek(time)] === true;
  // By minutes of real time, so that a change of the clocks needs no rule.
  const opensAt = (time: number) => {
    let at = time;
    while (!isOpen(at)) at = nextMinute(at);
    return at;
  };
  return {
    text: text.trim(),
    isOpen,
    /** A time in the zone of the hours. */
    timeText: (time: number) => timeIn(zone, time),
    /** When sending may go on: the time itself if it may now. */
    opensAt,
    /** The end of work that begins at this time and takes this many milliseconds. */
    endOf(time: number, milliseconds: number) {
      let at = opensAt(time);
      let rest = milliseconds;
      while (rest > nextMinute(at) - at) {
        rest -= nextMinute(at) - at;
        at = opensAt(nextMinute(at));
      }
      return at + rest;
    },
  };
}

function nextMinute(time: number): number {
  return (Math.floor(time / minute) + 1) * minute;
}

function includes({ days: on, from, to }: Range, at: number): boolean {
  const day = Math.floor(at / minutesOfDay);
  const time = at % minutesOfDay;
  if (from < to) return on.has(day) && time >= from && time < to;
  return (on.has(day) && time >= from) || (on.has((day + 6) % 7) && time < to);
}

/** The minute of the local week, which begins on Sunday. Clocks change at quarters of an hour. */
function minuteOfWeekIn(zone: string, text: string): (time: number) => number {
  const format = formatIn(zone, text);
  // A status line asks again and again, and formatting is slow.
  const starts = new Map<number, number>();
  return (time) => {
    const quarter = Math.floor(time / (15 * minute));
    const start = starts.get(quarter) ?? minuteAt(format, quarter * 15 * minute);
    starts.set(quarter, start);
    return start + Math.floor(time / minute) - quarter * 15;
  };
}

function minuteAt(format: Intl.DateTimeFormat, time: number): number {
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const day = days.indexOf((parts.get('weekday') ?? '').toLowerCase());
  return day * minutesOfDay + Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
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

function rangeIn(part: string, text: string): Range {
  const [, names = '', ...times] = /^([a-z,\s-]+?)\s+(\d{1,2}:\d\d)\s*-\s*(\d{1,2}:\d\d)$/i.exec(part.trim()) ?? [];
  const on = daysIn(names);
  const [from, to] = times.map(minutesIn);
  const isRange = on && from !== undefined && to !== undefined && from !== to && from < minutesOfDay;
  if (isRange) return { days: on, from, to };
  const hint = /^\d/.test(part.trim()) ? `the weekdays are missing: ${example}` : example;
  throw usage(`"${text}" is not a list of hours`, hint);
}

function daysIn(text: string): ReadonlySet<number> | undefined {
  const on = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const ends = part.split('-').map((name) => days.indexOf(name.trim()));
    const [first = -1, last = first] = ends;
    if (ends.length > 2 || first < 0 || last < 0) return undefined;
    for (let day = first; day !== last; day = (day + 1) % 7) on.add(day);
    on.add(last);
  }
  return on;
}

function minutesIn(time: string): number | undefined {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  const total = hours * 60 + minutes;
  return minutes < 60 && total <= minutesOfDay ? total : undefined;
}
