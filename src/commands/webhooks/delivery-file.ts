import type { Context } from '../../cli/command.ts';
import { usage } from '../../errors.ts';
import type { RawDelivery } from '../../webhooks/raw-delivery.ts';

interface Filed {
  /** What it is called. */
  readonly what: string;
  readonly raw: RawDelivery;
}

/** The delivery that a file holds, or stdin for `-`. */
export async function deliveryIn(context: Context, file: string): Promise<Filed> {
  const { readRaw } = await import('../../webhooks/raw-delivery.ts');
  const raw = readRaw(await context.bytes(file));
  const what = file === '-' ? 'stdin' : file;
  if (raw) return { what, raw };
  throw usage(
    `${what} is not a delivery`,
    'it begins as HTTP does: POST /path HTTP/1.1, headers, an empty line, the body',
  );
}
