import { jsonText } from '../../base/json.ts';
import { sign, signatureHeaders } from '../../contract/signature.ts';
import { payloadOf } from '../answers.ts';
import type { Attempt } from '../delivery-records.ts';
import type { EventFault } from '../fault-records.ts';
import type { Shape } from '../shapes.ts';
import type { Sending, SigningSecret } from '../state.ts';

/** What an attempt sends. */
export type Letter = Attempt['request'];

interface Occasion {
  readonly shape: Shape;
  readonly secrets: readonly string[];
  /** The time of day: a receiver would refuse the sandbox's own. */
  readonly wall: number;
  readonly fault: EventFault['kind'] | undefined;
}

const staleness = 10 * 60;

/** Every attempt sends the same body, whatever shape the sandbox has by then. */
export function letterOf({ event, to, attempts }: Sending, { shape, secrets, wall, fault }: Occasion): Letter {
  const body = attempts[0]?.request.body ?? jsonText(payloadOf(shape, event));
  const timestamp = Math.floor(wall / 1000) - (fault === 'stale-timestamp' ? staleness : 0);
  const signed = { id: event.id, timestamp, body: fault === 'bad-signature' ? `${body} ` : body };
  const headers = {
    host: new URL(to.webhook.url).host,
    connection: 'keep-alive',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'bizmsg-sandbox',
    [signatureHeaders.id]: event.id,
    [signatureHeaders.timestamp]: String(timestamp),
    [signatureHeaders.signature]: secrets.map((secret) => sign(signed, secret)).join(' '),
  };
  return { headers, body };
}

/** Those that sign now: the newest first, and for a while the one before it. */
export function signingWith({ secret, previous }: SigningSecret, now: number): readonly string[] {
  return previous && now < previous.until ? [secret, previous.secret] : [secret];
}
