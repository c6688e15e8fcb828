import type { Host } from '../base/host.ts';
import type { Database } from '../base/transaction.ts';
import { readPhone } from '../contract/phone.ts';
import { headerOf } from '../delivery/headers.ts';
import { headerNames } from '../delivery/signature.ts';
import type { Delivery } from '../logs/events.ts';
import { addOptOuts, removeOptOuts } from '../store/opt-outs.ts';
import { replyIn } from './event/event.ts';
import type { Checked, OptOutResult } from './items.ts';
import { createNotes } from './throttled-warnings.ts';

/** Replies that opt out. CANCEL and QUIT are not among them, since they answer other questions. */
const usualWords = 'STOP STOPP UNSUBSCRIBE OPTOUT PARAR SAIR BAJA ARRET ABMELDEN СТОП 停止 配信停止'.split(' ');
const courtesies = ['PLEASE', 'PLS', 'BITTE', 'PORFAVOR', 'SILVOUSPLAIT', 'SILTEPLAIT', 'SVP', 'ПОЖАЛУЙСТА'].join('|');
const courtesy = new RegExp(`^(?:${courtesies})|(?:${courtesies})$`, 'u');

/** Signs of a reply that a person should read; at the beginning of a word, in languages that have words. */
const signs = new RegExp(
  String.raw`(?<!\p{L})(?:${[
    'stop|unsub|opt.?out|cancel|quit|end$|revoke|remove me|no more|take me off',
    'abmeld|abbestell|austrag|kundig|keine (?:weiteren|nachricht|werbung|sms|mehr)',
    'desabon|desinscri|arret|plus de|baja|parar|sair|descadastr|no quiero|nao quero',
    'disiscri|basta|afmeld|uitschrijv|geen|wypisz|rezygn|iptal|durdur|istemiyorum',
    'стоп|отпи|отказ|хватит|не пиш',
  ].join('|')})|停止|解除|不要|やめて|退订|退訂|取消|توقف|إلغاء|बंद`,
  'iu',
);
/** Longer texts are about something else. */
const longestSign = 80;

/** The effect of a reply on the opt-outs; undefined for other texts. */
export function meaningOf(text: string, ownWords: readonly string[] = []): OptOutResult | undefined {
  if (text.length > longest) return undefined;
  const words = new Set([...usualWords, ...ownWords].map(plainWord));
  const word = plainWord(text);
  if (words.has(word) || words.has(word.replace(courtesy, ''))) return 'opted out';
  if (word === 'START') return 'opted in';
  return text.length <= longestSign && signs.test(withoutAccents(text)) ? 'unclear' : undefined;
}

export interface OptOutOptions {
  readonly host: Pick<Host, 'now'>;
  /** Without it, a reply changes nothing; the command that adds it is noted. */
  readonly record: { readonly database: Database; readonly account: string } | undefined;
  /** The profile's own words, besides the usual ones. */
  readonly words: readonly string[];
  readonly secrets: () => readonly string[];
  readonly note: (text: string) => void;
  /** The command that adds a phone. */
  readonly addCommand: (phone: string) => string;
}

/** Resolves once a reply is on the list, so that its event is answered only then. */
export type KeepOptOuts = (checked: Checked) => Promise<OptOutResult | undefined>;

/** Keeps the list of people who do not want messages any more. */
export function keepOptOuts(options: OptOutOptions): KeepOptOuts {
  const { host, record, words, secrets, addCommand } = options;
  const note = createNotes(options.note, host.now);
  const ignore = (kind: string, text: string) => {
    note(kind, text);
    return undefined;
  };
  return async ({ delivery, event, signature }) => {
    const { sender = '', text = '', time } = replyIn(event) ?? {};
    const meaning = meaningOf(text, words);
    if (meaning === undefined) return undefined;
    const phone = await readPhone(sender, 'intl');
    if (typeof phone !== 'string') return ignore('sender', `"${text}" came from "${sender}", which ${phone.why}`);
    // Where the secret is known, anyone else may have sent it.
    if (signature.verdict !== 'good' && (secrets().length > 0 || meaning === 'opted in'))
      return ignore('unsigned', `"${text}" from ${phone} is not correctly signed, so it does not count`);
    // A reply may be delivered late, or again: of two, the later one counts.
    const at = Math.min(host.now(), time ?? signedTime(delivery) ?? host.now());
    if (meaning === 'unclear') note(phone, `"${text}" may be an opt-out; ${addCommand(phone)} adds it`);
    else if (meaning === 'opted in') await (record && removeOptOuts(record.database, record.account, [phone], at));
    else if (!record) note(phone, `"${text}" is an opt-out; ${addCommand(phone)} adds it`);
    else await addOptOuts(record.database, record.account, [{ phone, at, word: text.trim() }]);
    return record && meaning;
  };
}

/** Characters of a reply that can be a word. */
const longest = 200;

/** The letters and digits of a text in capitals, without accents. */
function plainWord(text: string): string {
  return withoutAccents(text)
    .replace(/[^\p{L}\p{M}\p{N}]|\p{Variation_Selector}/gu, '')
    .toUpperCase();
}

function withoutAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .normalize('NFC');
}

function signedTime({ headers }: Delivery): number | undefined {
  const name = headerNames(headers)?.timestamp;
  const seconds = name === undefined ? undefined : Number(headerOf(headers, name));
  return seconds === undefined || Number.isNaN(seconds) ? undefined : seconds * 1_000;
}
