import { describe, expect } from 'vitest';
import { people } from './people.ts';
import { it, keys, type Machine } from './rig.ts';

const rows = people(1, 3, (number) => ({ order: `${number}`, date: `2026-05-0${number}` }));

type Sender = 'live' | 'sandbox' | 'import';
type Before = 'nothing' | 'sent' | 'waiting' | 'cancelled';

interface Cell {
  readonly before: Before;
  readonly by: Sender;
  /** More words of the first command. */
  readonly first?: string;
  readonly next: Sender;
  readonly words: string;
  readonly code: number;
  readonly batch?: string;
  readonly isNew?: boolean;
  readonly template?: string;
  readonly error?: RegExp;
}

const named = '--batch people';
const live = { by: 'live', next: 'live' } as const;
const sandbox = { by: 'sandbox', next: 'sandbox', words: '' } as const;
const imported = { by: 'import', next: 'import', words: '' } as const;
const [fresh, same] = [
  { code: 0, batch: 'people', isNew: true },
  { code: 0, batch: 'people', isNew: false },
] as const;
const second = { code: 0, batch: 'people-2', isNew: true } as const;

const table: readonly Cell[] = [
  { before: 'nothing', ...live, words: named, ...fresh },
  { before: 'sent', ...live, words: named, ...same },
  { before: 'sent', ...live, words: '--batch PEOPLE', ...same },
  { before: 'waiting', ...live, words: named, ...same },
  { before: 'cancelled', ...live, words: named, code: 11, error: /cancelled/ },
  { before: 'nothing', ...live, words: '', code: 2, error: /--batch people/ },
  { before: 'waiting', ...live, words: '', code: 2, error: /--batch people/ },
  { before: 'sent', ...live, words: named, template: 'bye', code: 2, error: /welcome.*bye|bye.*welcome/s },
  { before: 'sent', by: 'live', next: 'import', words: named, code: 2, error: /import/ },
  { before: 'sent', by: 'import', next: 'live', words: named, code: 2, error: /import/ },
  { before: 'sent', ...live, words: `${named} --per order`, code: 2, error: /--per/ },
  { before: 'sent', ...live, words: `${named} --per phone`, ...same },
  { before: 'sent', ...live, first: '--per order', words: named, ...same },
  { before: 'sent', ...live, first: '--per order', words: `${named} --per order`, ...same },
  { before: 'sent', ...live, first: '--per order', words: `${named} --per date`, code: 2, error: /order.*date/s },
  { before: 'sent', ...live, first: '--per order', words: `${named} --per phone`, code: 2, error: /order/ },
  { before: 'sent', by: 'live', next: 'sandbox', words: '', ...fresh },
  { before: 'sent', by: 'sandbox', next: 'live', words: named, ...fresh },
  { before: 'sent', ...live, words: `${named} --profile client`, ...fresh },
  { before: 'nothing', ...sandbox, ...fresh },
  { before: 'sent', ...sandbox, ...second },
  { before: 'waiting', ...sandbox, ...same },
  { before: 'cancelled', ...sandbox, ...second },
  { before: 'waiting', ...sandbox, template: 'bye', ...second },
  { before: 'nothing', ...imported, ...fresh },
  { before: 'sent', ...imported, ...same },
  { before: 'cancelled', ...imported, ...second },
  { before: 'sent', by: 'import', first: '--profile practice', next: 'sandbox', words: '', ...second },
];

const profiles = { live: 'acme', sandbox: 'practice', import: 'acme' } as const;

function command(machine: Machine, sender: Sender, words: string, template = 'welcome') {
  const typed = words.includes('--profile') ? words : `${words} --profile ${profiles[sender]}`;
  return sender === 'import' ? machine.import(rows, typed) : machine.send(rows, typed, { template });
}

async function prepare(
  machine: Machine,
  { before, by, first = '' }: Pick<Cell, 'before' | 'by' | 'first'>,
): Promise<void> {
  await machine.login('practice', keys.sandbox);
  await machine.login('client', keys.otherLive, 'other');
  if (before === 'nothing') return;
  await command(machine, by, `${named} ${first} ${before === 'sent' ? '' : '--first 1'}`);
  if (before !== 'cancelled') return;
  const { code } = await machine.run(['batches', 'cancel', 'people', '--profile', profiles[by]]);
  expect(code).toBe(0);
}

describe('which batch a command means', () => {
  it.for(table.map((cell) => ({ first: '', template: 'welcome', batch: '', ...cell })))(
    '$before by $by $first, then $next $words of $template: exit $code $batch',
    async ({ next, words, template, code, batch, isNew = false, error = /^/, ...cell }, { machine }) => {
      await prepare(machine, cell);
      const result = await command(machine, next, words, template);
      expect(result).toMatchObject({ code, batch, is_new: isNew });
      expect(result.stderr).toMatch(error);
    },
  );

  it('the latest of its names', async ({ machine }) => {
    await machine.login('practice', keys.sandbox);
    const words = '--profile practice';
    await machine.send(rows, words);
    expect(await machine.send(rows, `${words} --first 1`)).toMatchObject({ batch: 'people-2', is_new: true });
    expect(await machine.send(rows, words)).toMatchObject({ batch: 'people-2', is_new: false, now: { sent: 2 } });
    expect(await machine.send(rows, words)).toMatchObject({ batch: 'people-3', is_new: true });
  });

  it.for(['a b', 'ä', 'a'.repeat(65), '0123456789ab', 'a/b'])(
    'not one that is called %j',
    async (name, { machine }) => {
      const refused = await machine.send(rows, ['--batch', name]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--batch') });
      expect(machine.tally()).toEqual({});
    },
  );

  it('with the time filled in', async ({ machine }) => {
    const { batch } = await machine.send(rows, '--batch news-{date}-{hour}-{week}-{month}');
    expect(batch).toMatch(/^news-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d-\d\d-\d{4}-w\d\d-\d{4}-\d\d$/);
    expect(await machine.send(rows, ['--batch', batch])).toMatchObject({ code: 0, is_new: false });
  });
});

describe('batches resume', () => {
  it('without a name goes on with the only one that waits, else lists them', async ({ machine }) => {
    await machine.send(rows, '--batch one --first 1');
    expect(await machine.resume('')).toMatchObject({ code: 0, batch: 'one', now: { sent: 2 } });
    expect((await machine.resume('')).code).toBe(11);
    await machine.send(people(11, 13), '--batch two --first 1');
    await machine.send(people(21, 23), '--batch three --first 1');
    const several = await machine.resume('');
    expect(several).toMatchObject({ code: 11, stderr: expect.stringMatching(/two.*three|three.*two/s) });
    expect(await machine.resume('two')).toMatchObject({ code: 0, now: { sent: 2 } });
    expect(machine.tally()).toEqual({ 1: 7 });
  });
});
