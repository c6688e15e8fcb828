import { isLoopback } from '../../delivery/localhost.ts';
import { Refusal } from '../refusal.ts';

/** A URL that events may go to, in its normal form. §5.9: they stay on this machine unless it is meant. */
export function webhookUrl(text: string, external: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw new Refusal(400, 'the URL of a webhook is a whole one, such as http://127.0.0.1:3000/hooks');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new Refusal(400, `the URL of a webhook begins with http:// or https://, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new Refusal(400, 'the URL of a webhook has no user and no password in it');
  if (!external && !isLoopback(url.hostname))
    throw new Refusal(400, `${url.hostname} is not this machine: give external: true to send events there`);
  url.hash = '';
  return url;
}
