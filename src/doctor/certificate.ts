import { localDate } from '../cli/output/times.ts';
import { type Check, checksOf } from './check.ts';
import { counted } from './folders.ts';

const { pass, warn, fail } = checksOf('network');

/** What a service showed, and what Node thinks of it. */
export interface Shown {
  readonly host: string;
  /** Node's code for why it is not trusted. */
  readonly fault: string | undefined;
  readonly subject: string;
  readonly issuer: string;
  /** When it ends, in milliseconds. */
  readonly until: number;
}

const day = 24 * 60 * 60 * 1000;
/** Days that are enough to have another one made. */
const soon = 14;

export function certificateCheck(shown: Shown, now: number): Check {
  const { fault, issuer, until } = shown;
  if (fault !== undefined) return distrusted(shown, fault);
  const left = Math.floor((until - now) / day);
  const message = `by ${issuer}, for ${counted(left, 'day')} more`;
  return left < soon
    ? warn('certificate', message, `whoever runs ${shown.host} has to renew it`)
    : pass('certificate', message);
}

function distrusted({ host, subject, issuer, until }: Shown, fault: string): Check {
  const date = Number.isNaN(until) ? '' : ` on ${localDate(until)}`;
  const distrust = (message: string, remedy: string) => fail('certificate', message, remedy, 'network');
  const own = 'add --ca-file FILE to every command, or set NODE_EXTRA_CA_CERTS=FILE';
  if (fault === 'CERT_HAS_EXPIRED')
    return distrust(`it ended${date}`, `whoever runs ${host} has to renew it; is this machine's clock right?`);
  if (fault === 'CERT_NOT_YET_VALID') return distrust('it is not valid yet', "is this machine's clock right?");
  if (fault === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return distrust(`it is for ${subject}, not for ${host}`, 'check the base URL');
  if (fault === 'DEPTH_ZERO_SELF_SIGNED_CERT')
    return distrust(`${subject} signed it itself`, `if you trust it, save it as FILE, and ${own}`);
  if (fault === 'SELF_SIGNED_CERT_IN_CHAIN' || fault.startsWith('UNABLE_TO'))
    return distrust(
      `${issuer} signed it, whom this machine does not know`,
      `if it is your own authority, save its certificate as FILE, and ${own}`,
    );
  return distrust(`it is not trusted: ${fault}`, `if it is your own, ${own}`);
}
