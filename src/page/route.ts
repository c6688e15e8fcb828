import { signal } from '@preact/signals';
import { type ScreenName, screens } from './words.ts';

interface Route {
  readonly screen: ScreenName;
  /** The item on the screen, such as a number. */
  readonly item: string;
}

export const route = signal<Route>({ screen: 'phones', item: '' });

export function followAddress(): void {
  route.value = routeOf(location.hash);
  addEventListener('hashchange', () => (route.value = routeOf(location.hash)));
}

export function linkTo(screen: ScreenName, item = ''): string {
  return item === '' ? `#${screen}` : `#${screen}/${encodeURIComponent(item)}`;
}

/** Leaves no entry in the history for a change of the item on the same screen. */
export function goTo(screen: ScreenName, item = ''): void {
  const change = screen === route.value.screen ? 'replaceState' : 'pushState';
  history[change](null, '', linkTo(screen, item));
  route.value = routeOf(location.hash);
}

function routeOf(hash: string): Route {
  const [, name, item = ''] = /^#([a-z]+)(?:\/(.*))?$/.exec(hash) ?? [];
  const screen = screens.find((one) => one.name === name)?.name ?? 'phones';
  return { screen, item: decoded(item) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** The part that is shown, by default the first, and what it shows, such as `contacts` and a number. */
export function partOf<P extends string>(parts: Readonly<Record<P, string>>): { readonly part: P; readonly id: string };
export function partOf(parts: Readonly<Record<string, string>>) {
  const { item } = route.value;
  const [name = ''] = item.split('/', 1);
  return { part: name in parts ? name : Object.keys(parts)[0], id: item.slice(name.length + 1) };
}
