import type { Message, PageState, Reply } from './state.ts';

/** §6: the numbers with a fixed outcome. */
export const testNumbers = [
  { phone: '+12025550101', does: 'always delivers' },
  { phone: '+12025550102', does: 'always fails' },
  { phone: '+12025550103', does: 'delivers after 5 s' },
] as const;

/** A message to the customer, or a reply from them. */
export type Item =
  | {
      readonly kind: 'message';
      readonly at: number;
      readonly message: Message;
      /** Whether the same text went to this number shortly before. */
      readonly isRepeat: boolean;
    }
  | { readonly kind: 'reply'; readonly at: number; readonly reply: Reply };

export interface Phone {
  readonly phone: string;
  readonly items: readonly Item[];
}

/** Messages with the same content within this time count as sent twice. */
const repeatWithin = 10 * 60_000;

/** Every number with messages, and the test numbers. */
export function phonesIn({ messages, replies }: Pick<PageState, 'messages' | 'replies'>): ReadonlyMap<string, Phone> {
  const items = new Map<string, Item[]>(testNumbers.map(({ phone }) => [phone, []]));
  const itemsOf = (phone: string) => {
    const known = items.get(phone) ?? [];
    if (!items.has(phone)) items.set(phone, known);
    return known;
  };
  const lastAt = new Map<string, number>();
  for (const message of messages) {
    const at = Date.parse(message.sent_at);
    const content = [message.to, message.template, ...message.params].join('\0');
    const before = lastAt.get(content);
    lastAt.set(content, at);
    const isRepeat = before !== undefined && at - before <= repeatWithin;
    itemsOf(message.to).push({ kind: 'message', at, message, isRepeat });
  }
  const answered = new Set<string>();
  for (const reply of replies) {
    itemsOf(reply.from).push({ kind: 'reply', at: reply.at, reply });
    answered.add(reply.from);
  }
  for (const phone of answered) items.get(phone)?.sort(inTime);
  return new Map(Array.from(items, ([phone, items]) => [phone, { phone, items }]));
}

/** The numbers with the newest messages first; then the test numbers. */
export function inOrder(phones: Iterable<Phone>): readonly Phone[] {
  const all = [...phones];
  const others = all
    .filter((phone) => !isTest(phone))
    .sort((one, other) => inTime(other.items.at(-1), one.items.at(-1)));
  return [...others, ...all.filter(isTest)];
}

/** The number with the newest message or reply, if there is any. */
export function newestOf(phones: Iterable<Phone>): Phone | undefined {
  let newest: Phone | undefined;
  for (const phone of phones) if (inTime(newest?.items.at(-1), phone.items.at(-1)) < 0) newest = phone;
  return newest;
}

/** With a frozen clock, many items have the same time: then their ids count, which end with a serial number. */
function inTime(one: Item | undefined, other: Item | undefined): number {
  if (!one || !other) return Number(one !== undefined) - Number(other !== undefined);
  return one.at - other.at || (idOf(one) < idOf(other) ? -1 : 1);
}

export function isTest({ phone }: Pick<Phone, 'phone'>): boolean {
  return testNumbers.some((test) => test.phone === phone);
}

export function idOf(item: Item): string {
  return item.kind === 'reply' ? item.reply.id : item.message.id;
}

export function textOf(item: Item): string {
  return item.kind === 'reply' ? item.reply.text : (item.message.text ?? item.message.template);
}

/** Finds numbers, names and texts of messages. */
export function isMatch(phone: Phone, name: string, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return true;
  if (phone.phone.includes(wanted) || name.toLowerCase().includes(wanted)) return true;
  return phone.items.some((item) => textOf(item).toLowerCase().includes(wanted));
}
