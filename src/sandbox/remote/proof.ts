import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type CliError, configuration } from '../../base/errors.ts';
import { httpRequest } from '../../base/http-request.ts';
import { shellQuote } from '../../base/shell-quote.ts';
import { controlPrefix } from '../control/paths.ts';
import { type Locator, locatorFile } from './locator.ts';

interface Claimed {
  readonly url: string;
  readonly token: string;
}

export const proofPath = `${controlPrefix}/proof`;

/** Proves knowledge of the token. It includes the address, so it cannot be relayed to another address. */
export function proofOf({ url, token }: Claimed, nonce: string): string {
  return createHmac('sha256', token).update(`bizmsg sandbox proof\n${url}\n${nonce}`).digest('hex');
}

/** Throws unless the sandbox of this locator answers at its address. */
export async function requireProof(stateFolder: string, locator: Locator): Promise<void> {
  const nonce = randomBytes(16).toString('hex');
  const answer = await httpRequest(`${locator.url}${proofPath}?nonce=${nonce}`, {
    method: 'GET',
    timeout: 5_000,
  }).catch((error: unknown) => {
    throw configuration('sandbox-gone', `the sandbox at ${locator.url} does not answer`, undefined, error);
  });
  if (!isSame(answer.body, JSON.stringify({ proof: proofOf(locator, nonce) }))) throw unproven(stateFolder, locator);
}

/** Whether a sandbox answers at this address, even if another user or another HOME has started it. */
export async function answersAsSandbox(url: string): Promise<boolean> {
  const nonce = randomBytes(16).toString('hex');
  const asked = httpRequest(new URL(`${proofPath}?nonce=${nonce}`, url).href, { method: 'GET', timeout: 5_000 });
  const answer = await asked.catch(() => undefined);
  return answer?.status === 200 && /^\{"proof":"[0-9a-f]{64}"\}$/.test(answer.body);
}

/** Compares in constant time. */
export function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function unproven(stateFolder: string, locator: Locator): CliError {
  return configuration(
    'sandbox-unproven',
    `the server at ${locator.url} is not the sandbox that was started there`,
    `if none of your sandboxes runs there: rm ${shellQuote(locatorFile(stateFolder, locator.port))}`,
  );
}
