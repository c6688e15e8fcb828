import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { configuration, fsError } from '../../base/errors.ts';
import { httpRequest } from '../../base/http-request.ts';
import { exactJson } from '../../base/json.ts';
import * as read from '../../contract/readers.ts';
import { controlPrefix } from '../exchange.ts';
import { fields, number } from '../readers.ts';
import { type Locator, locatorsIn } from './locator.ts';

/** A sandbox that has proved that it runs. */
export interface RunningSandbox extends Locator {
  /** Its shared rate limit; undefined if its plan has none. */
  readonly minute: Proof['minute'];
  /** Identifies its current data. */
  readonly dataId: string;
}

export const proofPath = `${controlPrefix}/proof`;

/** Proves knowledge of the token. It includes the address, so it cannot be relayed to another address. */
export function proofOf({ url, token }: Pick<Locator, 'url' | 'token'>, nonce: string): string {
  return createHmac('sha256', token).update(`bizmsg sandbox proof\n${url}\n${nonce}`).digest('hex');
}

const anyNumber = number(-Infinity, Infinity);

/** The answer to a request for a proof. */
const proofAnswer = fields({
  proof: read.string,
  dataId: read.string,
  minute: read.optional(fields({ limit: anyNumber, moved: anyNumber })),
});

export type Proof = ReturnType<typeof proofAnswer>;

/** The sandboxes of this state folder that run and are wanted. */
export async function findRunning(
  stateFolder: string,
  isWanted: (locator: Locator) => boolean = () => true,
): Promise<readonly RunningSandbox[]> {
  return (await Promise.all(locatorsIn(stateFolder).filter(isWanted).map(proven))).flat();
}

async function proven(locator: Locator): Promise<readonly RunningSandbox[]> {
  const nonce = newNonce();
  const answer = await proofFrom(locator.url, nonce);
  if (!answer || answer === 'nothing' || !isSame(answer.proof, proofOf(locator, nonce))) return [];
  return [{ ...locator, minute: answer.minute, dataId: answer.dataId }];
}

/** What answers at this address: a sandbox, even if another user or another HOME has started it; or what else. */
export async function answererAt(url: string): Promise<'sandbox' | 'another' | 'nothing'> {
  const answer = await proofFrom(url, newNonce()).catch(() => undefined);
  if (answer === 'nothing') return answer;
  return answer && /^[0-9a-f]{64}$/.test(answer.proof) ? 'sandbox' : 'another';
}

function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/** Undefined if something else answers there; throws if it does not answer in time. */
async function proofFrom(url: string, nonce: string): Promise<Proof | 'nothing' | undefined> {
  const address = new URL(`${proofPath}?nonce=${nonce}`, url).href;
  try {
    return proofAnswer(exactJson((await httpRequest(address, { method: 'GET', timeout: 5_000 })).body));
  } catch (error) {
    if (fsError(error)?.code === 'ECONNREFUSED') return 'nothing';
    if (error instanceof SyntaxError || error instanceof read.Mismatch || fsError(error)) return undefined;
    throw configuration('sandbox-gone', `the sandbox at ${url} does not answer`, undefined, error);
  }
}

/** Compares in constant time. */
export function isSame(text: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
