import { createRandom } from '../../../src/sandbox/state/ids.ts';
import type { SendOptions } from '../../store/world.ts';
import { phoneOf, type Row } from './people.ts';

/** Profiles of two accounts by their keys. Requests of a process in the background have a key of their own. */
export const profiles = {
  sk_live_a0000000000000000000: 'a',
  sk_live_b0000000000000000000: 'b',
  sk_test_a0000000000000000000: 'a-sandbox',
  sk_test_b0000000000000000000: 'b-sandbox',
  sk_live_c0000000000000000000: 'a-background',
} as const;

export function profileOf({ account = 'a', mode = 'live' }: Pick<SendOptions, 'account' | 'mode'>): string {
  return mode === 'live' ? account : `${account}-${mode}`;
}

/** Random people, files and options, which differ in how much they use. */
export function createChoices(seed: number) {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (probability: number) => random() < probability;
  const accounts = chance(0.2) ? ['a', 'b'] : ['a'];
  const usesPer = chance(0.25);
  const texts = chance(0.5) ? ['t'] : ['t', 'u'];
  const files: (readonly Row[])[] = [0, 1].map(() => [1, 2, 3, 4, 5].map(person));
  return {
    random,
    below,
    chance,
    pick,
    /** Whether rows are orders. A text then ends with its order. */
    usesPer,
    account: () => pick(accounts),
    phone: () => phoneOf(1 + below(6)),
    row: () => person(1 + below(6)),
    edit,
    options,
  };

  function pick<T>(list: readonly T[]): T {
    const item = list[below(list.length)];
    if (item === undefined) throw new Error('an empty list');
    return item;
  }

  function person(number: number): Row {
    return withText(phoneOf(number), pick(['x', 'y']));
  }

  function withText(phone: string, order: string, text = pick(texts)): Row {
    return { phone, order, name: usesPer ? text + order : text };
  }

  /** Changes a file. */
  function edit(): void {
    const at = below(files.length);
    const rows = [...(files[at] ?? [])];
    const place = below(rows.length);
    const { phone, order = '' } = rows[place] ?? person(1);
    const kind = random();
    if (kind < 0.4) rows[place] = withText(phone, order, pick([...texts, 'v']));
    else if (kind < 0.7) rows.splice(0, rows.length, ...[1, 2, 3, 4, 5, 6].filter(() => chance(0.6)).map(person));
    // `--where order=x` does not exclude it, which would come first.
    else if (kind < 0.8) rows.push(withText('unreadable', 'x'));
    else rows.push(person(1 + below(7)));
    if (rows.length > 0) files[at] = rows;
  }

  function options(): SendOptions {
    const kind = chance(0.08) ? 'import' : 'message';
    const file = pick(files);
    const rows = kind === 'message' ? file : contactsOf(file);
    const caller = { account: pick(accounts), mode: chance(0.1) ? ('sandbox' as const) : ('live' as const) };
    // The rows of the model have no account.
    const prefix = `${profileOf(caller)}-`;
    return {
      ...caller,
      kind,
      batch: chance(0.05) ? undefined : prefix + pick(['one', 'two', 'three']),
      file: { name: `${prefix}f`, rows: rows.map((row) => ({ ...row, text: row.name })) },
      ...(chance(0.2) && { resend: [pick(['changed', 'failed', 'unsure'] as const)] }),
      ...(chance(0.1) && { first: 1 + below(3) }),
      ...(chance(0.05) && { atMost: 2 }),
      ...(chance(0.06) && { where: { order: 'x' } }),
      ...(kind === 'message' && optionsOfMessages()),
    };
  }

  function optionsOfMessages(): SendOptions {
    return {
      ...(chance(0.1) && { again: true }),
      ...(chance(0.1) && { excludeFrom: [phoneOf(1 + below(6))] }),
      ...(chance(0.07) && { noExcludeFrom: true }),
      ...(usesPer && chance(0.7) && { per: 'order' }),
    };
  }
}

/** Without rows that an import and the model treat differently. All columns are the text of a contact. */
function contactsOf(file: readonly Row[]): readonly Row[] {
  const phones = file.map(({ phone }) => phone);
  return file
    .filter(({ phone }, at) => phone !== 'unreadable' && phones.indexOf(phone) === at)
    .map((row) => ({ ...row, name: `${row.name} ${row['order']}` }));
}
