import type { BodyOf } from '../contract/endpoints.ts';

export interface Sender {
  /** The base URL; `local` for the sandbox that the profile `local` means. */
  readonly address: string;
  readonly key: string;
}

/** The same for the same message by the same key to the same address, and for no other. */
export async function digestOf(
  secret: Buffer,
  { address, key }: Sender,
  { to, template, params }: BodyOf<'sendTemplate'>,
): Promise<string> {
  // Over TLS it is loaded anyway.
  const { createHmac } = await import('node:crypto');
  const text = JSON.stringify([address, key, to, template, params]);
  return createHmac('sha256', secret).update(text).digest('hex').slice(0, 32);
}
