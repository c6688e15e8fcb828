import { computed, effect, signal } from '@preact/signals';
import type { OutputOf } from '../sandbox/control/operations.ts';
import { asking, tryAsk } from './ask.ts';
import { isNarrow, route } from './route.ts';
import { isMatch, type Row, rowsOf } from './rows.ts';
import { boundaryOf, emptyState, groupBy, state, withOlder } from './state.ts';

export const [webhooks] = asking(['webhooks'], 'webhooks');
export const [templates] = asking(['contents'], 'templates');
export const [problems] = asking(['deliveries', 'usage', 'webhooks'], 'problems');
export const [env] = asking(['keys', 'webhooks'], 'env');
export const [clock] = asking(['clock'], 'clock');

/** The lines of an `.env` that calls this sandbox. */
export const environment = computed(() => {
  const { url = location.origin, keys, secret = '' } = env.value ?? {};
  return `BIZMSG_BASE_URL=${url}\nBIZMSG_API_KEY=${keys?.sandbox ?? ''}\nBIZMSG_WEBHOOK_SECRET=${secret}\n`;
});

const wall = signal(Date.now());

export function followWall(): void {
  setInterval(() => (wall.value = Date.now()), 1_000);
}

/** The time of the sandbox in milliseconds. */
export const now = computed(() => {
  const { frozen = false, now = '', ahead = 0 } = clock.value ?? {};
  return frozen ? Date.parse(now) : wall.value + ahead;
});

/** All rows that the page has, the newest first. */
export const rows = computed(() => rowsOf(state.value));

/** The rows of everything that fails. */
const problemRows = computed(() => rowsOf(problems.value ?? emptyState));

/** Rows with a delivery that is attempted again. */
const retryingRows = computed(() => {
  const waiting = problems.value?.deliveries.filter(({ state }) => state === 'waiting') ?? [];
  const ids = new Set(waiting.map(({ event }) => event));
  return problemRows.value.filter(({ events }) => events.some(({ id }) => ids.has(id)));
});

const inTab = {
  all: rows,
  problems: problemRows,
  retrying: retryingRows,
  replies: computed(() => rows.value.filter(({ kind }) => kind === 'reply')),
} as const;

export type TabName = keyof typeof inTab;

export const tab = signal<TabName>('all');
export const filter = signal('');

const listed = computed(() => {
  const all = inTab[tab.value].value;
  return filter.value === '' ? all : all.filter((row) => isMatch(row, nameOf(row.phone), filter.value));
});

/** How many rows each tab has; with a plus if there are more than the page has. */
export function countIn(name: TabName): string {
  const { failing = 0, deliveries = [] } = problems.value ?? {};
  const isCut = name === 'all' ? state.value.older.messages > 0 : name !== 'replies' && failing > deliveries.length;
  return inTab[name].value.length.toLocaleString('en') + (isCut ? '+' : '');
}

/** Whether someone looks at the rows: then new ones wait, because nothing may move under the eye. */
export const isHeld = signal(false);
/** The first row when it began. */
const first = signal<string | undefined>(undefined);

/** Shows the rows that wait. */
export function release(): void {
  first.value = listed.peek()[0]?.id;
}

for (const cause of [isHeld, tab, filter]) cause.subscribe(release);

/** How many new rows wait. */
export const waiting = computed(() => {
  const at = isHeld.value ? listed.value.findIndex(({ id }) => id === first.value) : 0;
  return Math.max(0, at);
});

export const shown = computed(() => (waiting.value === 0 ? listed.value : listed.value.slice(waiting.value)));

/** The row whose story is shown; in a wide window by default the first. */
export const chosen = computed((): Row | undefined => {
  const { place, item } = route.value;
  if (place !== 'activity') return undefined;
  if (item === '') return isNarrow.value ? undefined : shown.value[0];
  const row = [...rows.value, ...problemRows.value].find(({ id }) => id === item);
  if (row) return row;
  // A message in no row of its own, an older one, or a number.
  const message = state.value.messages.find(({ id }) => id === item);
  const phone = item.startsWith('+') ? item : (message?.to ?? '');
  const rest = { id: item, phone, text: message?.text ?? '', isBad: false, events: [] };
  return { kind: 'message', at: Date.parse(message?.sent_at ?? ''), message, ...rest };
});

/** The rows in view. Their deliveries and names are asked. */
export const inView = signal<readonly Row[]>([]);

type Delivery = OutputOf<'glance'>['deliveries'][number];

const [glance] = asking(['deliveries', 'contents', 'webhooks'], 'glance', () => {
  const all = [...inView.value, ...(chosen.value ? [chosen.value] : [])];
  const ofBroadcast = (chosen.value?.messages ?? []).slice(0, 100).map(({ to }) => to);
  const phones = [...new Set([...all.map(({ phone }) => phone), ...ofBroadcast])];
  return all.length === 0 ? null : { ids: inView.value.flatMap(deliveredIds), phones };
});
const deliveries = signal<ReadonlyMap<string, readonly Delivery[]>>(new Map());
export const names = signal<ReadonlyMap<string, string>>(new Map());

effect(() => {
  if (!glance.value) return;
  deliveries.value = new Map([...deliveries.peek(), ...groupBy(glance.value.deliveries, ({ of }) => of)]);
  addNames(glance.value.names);
});

function addNames(added: readonly { readonly phone: string; readonly name?: string | undefined }[]): void {
  const all = added.flatMap(({ phone, name }) => (name ? [[phone, name] as const] : []));
  names.value = new Map([...names.peek(), ...all]);
}

/** Asks for the names of all contacts, to search them. */
export async function askNames(): Promise<void> {
  addNames((await tryAsk('contacts', { limit: 5_000 })) ?? []);
}

/** The deliveries of a row that were fetched. */
export function deliveriesOf(row: Row): readonly Delivery[] {
  return deliveredIds(row).flatMap((id) => deliveries.value.get(id) ?? []);
}

/** The page may not have the events of an old message. */
function deliveredIds({ message, events }: Row): readonly string[] {
  return message ? [message.id] : events.map(({ id }) => id);
}

export function nameOf(phone: string): string {
  return names.value.get(phone) ?? phone;
}

let isAsking = false;

/** Asks for older records, if there are any, once the last row in view is about as old as those that the page has. */
export async function loadOlder(last: Row | undefined): Promise<void> {
  const boundary = boundaryOf(state.value);
  if (!boundary || isAsking || tab.value !== 'all' || (last && last.at > boundary.at)) return;
  isAsking = true;
  const { log } = boundary;
  const older = await tryAsk('older', { kind: log, before: state.value.older[log], limit: 500 });
  if (older) state.value = withOlder(state.value, older);
  isAsking = false;
}
