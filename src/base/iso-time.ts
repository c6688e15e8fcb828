let [lastTime, lastText] = [Number.NaN, ''];

/** A time as an ISO text. Caches the last result, since many contacts and events have the time of the one before. */
export function isoTime(time: number): string {
  if (time !== lastTime) [lastTime, lastText] = [time, new Date(time).toISOString()];
  return lastText;
}
