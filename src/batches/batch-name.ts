import { forOption, usage } from '../base/errors.ts';
import { fillName, isName } from '../store/which.ts';

/** The name of a batch, with the local time filled in. */
export function batchNameOf(text: string, local: Date): string {
  return forOption('--batch', () => {
    const name = fillName(text, local);
    const [word] = /\{[^}]*\}?/.exec(name) ?? [];
    if (word !== undefined) throw usage(`"${word}" is not filled in`, 'use {date}, {week}, {month} or {hour}');
    if (isName(name)) return name;
    const isId = /^[\da-f]{12}$/.test(name);
    if (isId) throw usage(`"${name}" looks like the id of a batch`, `use another, such as b-${name}`);
    throw usage(`"${text}" is not a name of a batch`, 'use up to 64 letters, digits and . _ -, such as autumn-{date}');
  });
}
