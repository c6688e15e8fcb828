/** Whether a delivery has a valid signature of Standard Webhooks. */
export async function isSigned(
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  secrets: readonly string[],
): Promise<boolean> {
  const signed = new TextEncoder().encode(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  const given = headers['webhook-signature']?.split(' ') ?? [];
  for (const secret of secrets) {
    const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
    const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
    if (given.includes(`v1,${btoa(String.fromCharCode(...signature))}`)) return true;
  }
  return false;
}
