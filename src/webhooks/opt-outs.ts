import type { Host } from '../base/host.ts';
import type { Database } from '../base/transaction.ts';
import { readPhone } from '../contract/phone.ts';
import { headerOf } from '../delivery/headers.ts';
import { check, headerNames } from '../delivery/signature.ts';
import type { Delivery } from '../logs/events.ts';
import { addOptOuts, removeOptOuts } from '../store/opt-outs.ts';
import { replyIn } from './event/event.ts';

/** Replies that opt out. CANCEL and QUIT are not among them, since they answer other questions. */
const usualWords = [
  'STOP',
  'STOPP',
  'UNSUBSCRIBE',
  'OPTOUT',
  'PARAR',
  'SAIR',
  'BAJA',
  'ARRET',
  'ABMELDEN',
  'СТОП',
  '停止',
  '配信停止',
] as const;
const courtesies = ['PLEASE', 'PLS', 'BITTE', 'PORFAVOR', 'SILVOUSPLAIT', 'SILTEPLAIT', 'SVP', 'ПОЖАЛУЙСТА'].join('|');
const courtesy = new RegExp(`^(?:${courtesies})|(?:${courtesies})$`, 'u');

export interface OptOutOptions {
  readonly host: Pick<Host, 'now'>;
  readonly database: Database;
  readonly account: string;
  /** The profile's own words, besides the usual ones. */
  readonly words: readonly string[];
  readonly secrets: () => readonly string[];
  readonly note: (text: string) => void;
}

/**
 * Keeps the list of people who do not want messages any more. The returned function resolves once a reply is on the
 * list, so that its event is acknowledged only then; a failure is the sender's to repeat.
 */
export function keepOptOuts(options: OptOutOptions): (delivery: Delivery) => Promise<void> {
  const { host, database, account, note, secrets } = options;
  const words = new Set([...usualWords, ...options.words].map(plainWord));
  return async (delivery) => {
    const isSigned = check(secrets(), delivery.headers, delivery.body, host.now()).verdict === 'good';
    // Where the secret is known, anyone else may have sent it.
    if (!isSigned && secrets().length > 0) return;
    const reply = replyIn(delivery, true);
    const word = plainWord(reply?.text ?? '');
    const isStop = words.has(word) || words.has(word.replace(courtesy, ''));
    if (!reply || !(isStop || word === 'START')) return;
    const { sender = '' } = reply;
    const phone = await readPhone(sender, 'intl');
    if (typeof phone !== 'string') return note(`"${word}" came from "${sender}", which ${phone.why}`);
    const at = Math.min(host.now(), reply.time ?? signedTime(delivery) ?? host.now());
    if (isStop) await add(phone, at, reply.text ?? '');
    else if (isSigned) await remove(phone, at);
    else note(`START from ${phone} is not signed, so nothing is changed`);
  };

  async function add(phone: string, at: number, word: string): Promise<void> {
    const added = await addOptOuts(database, account, [{ phone, at, word: word.trim().slice(0, longest) }]);
    if (added > 0) note(`${phone} has opted out`);
  }

  /** A reply may be delivered late, or again, after a later STOP. */
  async function remove(phone: string, at: number): Promise<void> {
    const removed = await removeOptOuts(database, account, [phone], at);
    if (removed > 0) note(`${phone} replied START and gets messages again`);
  }
}

/** Characters of a reply that can be a word. */
const longest = 200;

/** The letters and digits of a text in capitals, without accents. */
function plainWord(text: string): string {
  return text
    .slice(0, longest)
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]|\p{Variation_Selector}/gu, '')
    .toUpperCase();
}

function signedTime({ headers }: Delivery): number | undefined {
  const name = headerNames(headers)?.timestamp;
  const seconds = name === undefined ? undefined : Number(headerOf(headers, name));
  return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds * 1_000;
}
