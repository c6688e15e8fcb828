const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** The time of day on the sandbox's clock, in UTC. */
export function timeText(at: number): string {
  return time.format(at);
}

export function dayText(at: number): string {
  return day.format(at);
}
