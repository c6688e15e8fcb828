import type { Context } from '../../cli/command.ts';
import type { Input } from '../../cli/params.ts';
import type { Received } from '../../webhooks/log/records.ts';
import { requiredSecret, type secretParams } from './secrets.ts';

type Asked = Input<typeof secretParams> & { readonly resign: boolean };

/** What is sent of an event: itself, or with --resign a copy that is not too old. */
export async function preparation(context: Context, asked: Asked): Promise<(event: Received) => Received> {
  const [
    { isStale, resigned },
    {
      process: { now: clock },
    },
  ] = await Promise.all([import('../../webhooks/sign/verify.ts'), context.sandboxes()]);
  const secret = asked.resign ? await requiredSecret(context, asked) : undefined;
  let isSaid = false;
  return (event) => {
    const now = clock();
    if (!isStale(event.headers, now)) return event;
    if (secret !== undefined) return resigned(event, secret, now);
    if (!isSaid)
      context.note('stale', 'some are older than 5 minutes, which receivers refuse: --resign signs them anew');
    isSaid = true;
    return event;
  };
}
