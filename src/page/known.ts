import { computed, signal } from '@preact/signals';
import { outcomeOf } from '../contract/events.ts';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { asked, keepAsking, tryAsk } from './ask.ts';
import { state } from './connection.ts';
import { problemRecords, type Row, rowsOf } from './rows.ts';
import { groupBy, type SandboxEvent } from './state.ts';

export type Delivery = OutputOf<'glance'>['deliveries'][number];

export const webhooks = asked(['webhooks'], 'webhooks');
export const templates = asked(['contents'], 'templates');
export const problems = asked(['deliveries', 'usage', 'webhooks'], 'problems');

const byId = computed(() => new Map(state.value.messages.map((message) => [message.id, message])));

/** All rows that the page has, the newest first. A receipt of an older message is not a row of its own. */
export const rows = computed(() => {
  const isShown = ({ type, message = '' }: SandboxEvent) => !outcomeOf(type) || byId.value.has(message);
  return rowsOf({ ...state.value, events: state.value.events.filter(isShown) });
});

/** The rows of everything that fails. */
export const problemRows = computed(() => {
  const { value } = problems;
  return value ? rowsOf(problemRecords(value, byId.value)) : [];
});

/** Rows with a delivery that is attempted again. */
export const retryingRows = computed(() => {
  const waiting = problems.value?.deliveries.filter(({ state }) => state === 'waiting') ?? [];
  const ids = new Set(waiting.map(({ event }) => event));
  return problemRows.value.filter(({ events }) => events.some(({ id }) => ids.has(id)));
});

/** The rows in view. Their deliveries and names are asked. */
export const inView = signal<readonly Row[]>([]);
/** Other numbers in view. Their names are asked, too. */
export const numbersInView = signal<readonly string[]>([]);
export const names = signal<ReadonlyMap<string, string>>(new Map());
const deliveries = signal<ReadonlyMap<string, readonly Delivery[]>>(new Map());

const wanted = computed(() => ({
  // The page may not have the events of an old message.
  ids: inView.value.flatMap(({ id, events, message }) => {
    const isOld = message && message.status !== 'accepted' && events.length === 0;
    return isOld ? [id] : events.slice(-4).map((event) => event.id);
  }),
  phones: [...new Set([...numbersInView.value, ...inView.value.map(({ phone }) => phone)])],
}));

keepAsking({
  topics: ['deliveries', 'contents', 'webhooks'],
  isWanted: () => inView.value.length + numbersInView.value.length > 0,
  operation: 'glance',
  input: () => wanted.value,
  answered(output) {
    deliveries.value = new Map([...deliveries.value, ...groupBy(output.deliveries, ({ of }) => of)]);
    addNames(output.names);
  },
});

function addNames(added: readonly { readonly phone: string; readonly name?: string | undefined }[]): void {
  const all = added.flatMap(({ phone, name }) => (name ? [[phone, name] as const] : []));
  names.value = new Map([...names.value, ...all]);
}

/** Asks for the names of all contacts, to search them. */
export async function askNames(): Promise<void> {
  addNames((await tryAsk('contacts', { limit: 5_000 })) ?? []);
}

/** The deliveries of a row that were fetched. */
export function deliveriesOf({ id, events }: Row): readonly Delivery[] {
  const ids = events.length === 0 ? [id] : events.map((event) => event.id);
  return ids.flatMap((one) => deliveries.value.get(one) ?? []);
}

export function nameOf(phone: string): string {
  return names.value.get(phone) ?? phone;
}
