import { configuration } from '../base/errors.ts';

const hour = 3_600_000;

/** A message that is recorded at a wrong time would look forgotten, or held back, once the clock is right. */
export function refuseEarlyClock(now: number): void {
  if (now >= Date.parse(__BUILD_DATE__)) return;
  const today = new Date(now).toISOString().slice(0, 10);
  throw wrong(`wrong: it says ${today}, and this bizmsg was built on ${__BUILD_DATE__}`);
}

/** `skew`: the milliseconds by which the clock of the service is ahead, if that is known. */
export function refuseWrongClock(skew: number | undefined): void {
  if (skew === undefined || Math.abs(skew) <= 24 * hour) return;
  const side = skew > 0 ? 'behind' : 'ahead of';
  throw wrong(`${Math.round(Math.abs(skew) / hour)} hours ${side} that of the service`);
}

/** Whether the clock agrees with the services that were called. */
export function isClockRight(now: number, skew: number): boolean {
  return now >= Date.parse(__BUILD_DATE__) && Math.abs(skew) <= 24 * hour;
}

function wrong(how: string): Error {
  const hint = 'nothing was sent; set the clock, then run the same command again';
  return configuration('clock-wrong', `the clock of this machine is ${how}`, hint);
}
