import type { Context } from '../../cli/command.ts';
import { usage } from '../../base/errors.ts';
import type { RawDelivery } from '../../webhooks/event/raw.ts';

interface DeliveryFile {
  /** The file name, for messages. */
  readonly name: string;
  readonly raw: RawDelivery;
}

/** Reads a delivery from a file, or from stdin for `-`. */
export async function deliveryIn(context: Context, file: string): Promise<DeliveryFile> {
  const { readRaw } = await import('../../webhooks/event/raw.ts');
  const raw = readRaw(await context.bytes(file));
  const name = file === '-' ? 'stdin' : file;
  if (raw) return { name, raw };
  throw usage(
    `${name} is not an event file`,
    'it must begin like HTTP: POST /path HTTP/1.1, headers, an empty line, the body',
  );
}

/** Refuses headers that HTTP cannot send. */
export function requireSendable({ name: file, raw: { headers } }: DeliveryFile): void {
  for (const [name, value] of headers) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) continue;
    throw usage(
      `the header "${name}" of ${file} cannot be sent`,
      'a header name has letters, digits and dashes, and a value no control characters',
    );
  }
}
