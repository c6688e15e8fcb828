import { type Check, checksOf } from './check.ts';

const { pass, warn, skip } = checksOf('machine');

/** When an answer was asked for and came, by this machine, and its `Date` header, by the service. */
export interface Heard {
  readonly sentAt: number;
  readonly cameAt: number;
  readonly date: string | undefined;
}

/** Milliseconds; receivers usually take signatures that are five minutes old. */
const bearable = 5_000;

export function clockCheck(heard: Heard | undefined): Check {
  if (!heard) return skip('clock', 'no answer came to compare it with');
  const date = Date.parse(heard.date ?? '');
  if (Number.isNaN(date)) return skip('clock', 'the service does not say what time it is');
  // The header has whole seconds.
  const [ahead, behind] = [heard.sentAt - (date + 1_000), date - heard.cameAt];
  const apart = Math.max(ahead, behind);
  if (apart <= bearable) return pass('clock', "agrees with the service's");
  const how = `${Math.round(apart / 1_000)} s ${ahead > behind ? 'ahead of' : 'behind'} the service's`;
  const remedy = 'have the system set it (timedatectl set-ntp true): signatures of webhooks are checked by it';
  return warn('clock', how, remedy);
}
