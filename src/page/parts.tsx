import { linkTo, route } from './route.ts';
import type { ScreenName } from './screens.ts';

interface PartsProps {
  readonly screen: ScreenName;
  readonly parts: Readonly<Record<string, string>>;
}

/** Links to the parts of a screen, such as its tables. */
export function Parts({ screen, parts }: PartsProps) {
  const { part } = partOf(parts);
  return (
    <nav class="parts" aria-label="Parts">
      {Object.entries(parts).map(([name, title]) => (
        <a key={name} href={linkTo(screen, name)} aria-current={name === part ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

/** The part that is shown, by default the first, and what it shows, such as `contacts` and a number. */
export function partOf<P extends string>(parts: Readonly<Record<P, string>>): { readonly part: P; readonly id: string };
export function partOf(parts: Readonly<Record<string, string>>) {
  const { item } = route.value;
  const [name = ''] = item.split('/', 1);
  return { part: name in parts ? name : Object.keys(parts)[0], id: item.slice(name.length + 1) };
}
