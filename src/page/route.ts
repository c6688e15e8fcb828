import { signal } from '@preact/signals';

export const places = [
  { name: 'activity', title: 'Activity' },
  { name: 'data', title: 'Data' },
  { name: 'setup', title: 'Setup' },
] as const;

export type PlaceName = (typeof places)[number]['name'];

interface Route {
  readonly place: PlaceName;
  /** The open item, such as the id of a row. */
  readonly item: string;
}

export const route = signal<Route>({ place: 'activity', item: '' });

export function followAddress(): void {
  const follow = () => (route.value = routeOf(location.hash));
  follow();
  for (const event of ['hashchange', 'popstate']) addEventListener(event, follow);
}

export function linkTo(place: PlaceName, item = ''): string {
  return item === '' ? `#${place}` : `#${place}/${encodeURIComponent(item)}`;
}

/** Leaves an entry in the history for another place, and for the first item that is opened in a narrow window. */
export function goTo(place: PlaceName, item = ''): void {
  const { value } = route;
  const isOpening = isNarrow.value && value.item === '' && item !== '';
  const change = place !== value.place || isOpening ? 'pushState' : 'replaceState';
  history[change](isOpening ? 'opened' : history.state, '', linkTo(place, item));
  route.value = { place, item };
}

/** Closes the open item: with the entry that `goTo` has left, if there is one. */
export function goBack(): void {
  if (history.state === 'opened') history.back();
  else goTo(route.value.place);
}

/** Whether the window shows the list or an item, but not both. */
export const isNarrow = matching('(max-width: 767px)');
/** Whether a row has two lines. */
export const isTight = matching('(max-width: 1023px)');

function matching(condition: string) {
  const query = matchMedia(condition);
  const matches = signal(query.matches);
  query.addEventListener('change', () => (matches.value = query.matches));
  return matches;
}

function routeOf(hash: string): Route {
  const [, name, item = ''] = /^#([a-z]+)(?:\/(.*))?$/.exec(hash) ?? [];
  const place = places.find((place) => place.name === name)?.name ?? 'activity';
  return { place, item: decodeURIComponent(item) };
}
