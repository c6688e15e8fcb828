import type { Context } from '../../cli/command.ts';
import { usage } from '../../base/errors.ts';
import type { RawDelivery } from '../../webhooks/event/raw.ts';

interface Filed {
  /** What it is called. */
  readonly what: string;
  readonly raw: RawDelivery;
}

/** The delivery that a file holds, or stdin for `-`. */
export async function deliveryIn(context: Context, file: string): Promise<Filed> {
  const { readRaw } = await import('../../webhooks/event/raw.ts');
  const raw = readRaw(await context.bytes(file));
  const what = file === '-' ? 'stdin' : file;
  if (raw) return { what, raw };
  throw usage(
    `${what} is not a delivery`,
    'it begins as HTTP does: POST /path HTTP/1.1, headers, an empty line, the body',
  );
}

/** Throws where a header of a delivery that is to be sent again is none that HTTP can carry. */
export function requireSendable({ what, raw: { headers } }: Filed): void {
  for (const [name, value] of headers) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) continue;
    throw usage(
      `the header "${name}" of ${what} cannot be sent`,
      'a header has a name of letters, digits and dashes, and no control characters in its value',
    );
  }
}
