import { computed, signal } from '@preact/signals';
import { tryAsk } from '../ask.ts';
import { state } from '../connection.ts';
import { names, problemRows, problems, retryingRows, rows } from '../known.ts';
import { route } from '../route.ts';
import { isMatch, type Row } from '../rows.ts';
import { boundaryOf, withOlder } from '../state.ts';

export type TabName = 'all' | 'problems' | 'retrying' | 'replies';

export const tab = signal<TabName>('all');
/** Whether the phone is shown instead of the story, where there is no room for both. */
export const isPhone = signal(false);
export const filter = signal('');

const boundary = computed(() => boundaryOf(state.value));

const inTab: Readonly<Record<TabName, () => readonly Row[]>> = {
  all: () => rows.value,
  problems: () => problemRows.value,
  retrying: () => retryingRows.value,
  replies: () => rows.value.filter(({ kind }) => kind === 'reply'),
};

const listed = computed(() => {
  const all = inTab[tab.value]();
  const wanted = filter.value.trim();
  return wanted === '' ? all : all.filter((row) => isMatch(row, names.value.get(row.phone) ?? '', wanted));
});

/** How many rows each tab has; with a plus if there are more than the page has. */
export const counts = computed(() => {
  const { failing = 0, deliveries = [] } = problems.value ?? {};
  const text = (name: TabName, isCut = false) => inTab[name]().length.toLocaleString('en') + (isCut ? '+' : '');
  const isCut = failing > deliveries.length;
  return {
    all: text('all', state.value.older.messages > 0),
    problems: text('problems', isCut),
    retrying: text('retrying', isCut),
    replies: text('replies'),
  };
});

/** Whether someone looks at the rows: then new ones wait, because nothing may move under the eye. */
export const isHeld = signal(false);
/** The first row when it began. */
const first = signal<string | undefined>(undefined);

/** Shows the rows that wait. */
export function release(): void {
  first.value = listed.peek()[0]?.id;
}

for (const one of [isHeld, tab, filter]) one.subscribe(release);

/** How many new rows wait. */
export const waiting = computed(() => {
  const at = isHeld.value ? listed.value.findIndex(({ id }) => id === first.value) : 0;
  return Math.max(0, at);
});

export const shown = computed(() => (waiting.value === 0 ? listed.value : listed.value.slice(waiting.value)));

/** The id of the row whose story is shown; in a wide window by default the first. */
export const chosen = computed(() => {
  const { place, item } = route.value;
  if (place !== 'activity' || item !== '' || narrow.value) return item;
  return shown.value[0]?.id ?? '';
});

export const narrow = matching('(max-width: 767px)');
/** Whether a row has two lines. */
export const isTight = matching('(max-width: 1023px)');

function matching(condition: string) {
  const query = matchMedia(condition);
  const matches = signal(query.matches);
  query.addEventListener('change', () => (matches.value = query.matches));
  return matches;
}

let isAsking = false;

/** Asks for older records, if there are any, once the last row in view is about as old as those that the page has. */
export async function loadOlder(last: Row | undefined): Promise<void> {
  const { value } = boundary;
  if (!value || isAsking || tab.value !== 'all' || (last && last.at > value.at)) return;
  isAsking = true;
  const { log } = value;
  const older = await tryAsk('older', { kind: log, before: state.value.older[log], limit: 500 });
  if (older) state.value = withOlder(state.value, older);
  isAsking = false;
}

/** The row with an id; of a message that is in no row of its own, one for it. */
export function rowById(id: string): Row | undefined {
  const row = [...rows.value, ...problemRows.value].find((one) => one.id === id);
  if (row || id === '') return row;
  const message = state.value.messages.find((one) => one.id === id);
  const phone = id.startsWith('+') ? id : (message?.to ?? '');
  const rest = { id, phone, text: message?.text ?? '', isBad: false, events: [], count: 1 };
  return { kind: 'message', at: Date.parse(message?.sent_at ?? ''), message, ...rest };
}
