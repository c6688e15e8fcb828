import { describe, expect } from 'vitest';
import type { Reply } from '../../support/service.ts';
import { people, phoneOf, type Row } from './people.ts';
import { it, type Machine } from './rig.ts';

/** Ada is the row of each test, Bob was sent his message before. */
const [ada, bob] = [
  { phone: phoneOf(1), name: 'Ada', city: 'Bonn' },
  { phone: phoneOf(2), name: 'Bob', city: 'Kiel' },
] as const;

const states = {
  missing: [],
  waiting: [200, '--first 1'],
  sent: [200],
  failed: [422],
  unsure: [409],
  excluded: [200, '--exclude-from noex.csv'],
  'not in --where': [200, '--where city=Kiel'],
  'opted out': [200],
  cancelled: [200, '--first 1'],
} as const satisfies Record<string, readonly [reply?: Reply, words?: string]>;

const files = {
  'the same row': [bob, ada],
  'another text': [bob, { ...ada, name: 'Ava' }],
  'another city': [bob, { ...ada, city: 'Köln' }],
  'another phone': [bob, { ...ada, phone: phoneOf(3) }],
  'only others': [bob],
} as const satisfies Record<string, readonly Row[]>;

interface Cell {
  readonly state: keyof typeof states;
  readonly file: keyof typeof files;
  readonly words?: string;
  /** Of the service to Ada. Default: 200. */
  readonly reply?: Reply;
  /** Exit codes of the command and of its repetition. */
  readonly codes: readonly [number, number];
  /** What Ada may have got in the end. */
  readonly texts: readonly string[];
  readonly counts: object;
}

const [old, latest, both] = [['Ada'], ['Ava'], ['Ada', 'Ava']] as const;
const done = { sent: 2, now: { sent: 1 } } as const;
const idle = { now: { sent: 0, failed: 0, unsure: 0 } } as const;

const table: readonly Cell[] = [
  { state: 'missing', file: 'the same row', codes: [0, 0], texts: old, counts: done },
  { state: 'waiting', file: 'the same row', codes: [0, 0], texts: old, counts: done },
  { state: 'waiting', file: 'another text', codes: [0, 0], texts: latest, counts: { ...done, changed: 0 } },
  { state: 'waiting', file: 'only others', codes: [10, 10], texts: [], counts: { ...idle, others: 1 } },
  { state: 'sent', file: 'the same row', codes: [0, 0], texts: old, counts: { ...idle, sent: 2 } },
  { state: 'sent', file: 'another text', codes: [10, 0], texts: old, counts: { ...idle, sent: 2, changed: 1 } },
  { state: 'sent', file: 'another city', codes: [0, 0], texts: old, counts: { ...idle, sent: 2, changed: 0 } },
  { state: 'sent', file: 'only others', codes: [0, 0], texts: old, counts: { ...idle, sent: 1, others: 0 } },
  { state: 'sent', file: 'the same row', words: '--resend changed', codes: [0, 0], texts: old, counts: idle },
  {
    state: 'sent',
    file: 'another text',
    words: '--resend changed',
    codes: [0, 0],
    texts: both,
    counts: { ...done, changed: 0 },
  },
  {
    state: 'sent',
    file: 'another text',
    words: '--resend changed',
    reply: 422,
    codes: [10, 10],
    texts: old,
    counts: { sent: 2, failed: 0, changed: 1, now: { sent: 0 } },
  },
  {
    state: 'sent',
    file: 'another text',
    words: '--resend changed',
    reply: 409,
    codes: [10, 10],
    texts: both,
    counts: { sent: 1, unsure: 1, now: { unsure: 1 } },
  },
  { state: 'failed', file: 'the same row', codes: [0, 0], texts: [], counts: { ...idle, failed: 1 } },
  { state: 'failed', file: 'another text', codes: [0, 0], texts: latest, counts: { ...done, failed: 0 } },
  { state: 'failed', file: 'another city', codes: [0, 0], texts: old, counts: { ...done, failed: 0 } },
  { state: 'failed', file: 'only others', codes: [0, 0], texts: [], counts: { ...idle, sent: 1, failed: 0 } },
  { state: 'failed', file: 'the same row', words: '--resend failed', codes: [0, 0], texts: old, counts: done },
  {
    state: 'failed',
    file: 'another text',
    reply: 422,
    codes: [10, 0],
    texts: [],
    counts: { failed: 1, now: { failed: 1 } },
  },
  { state: 'unsure', file: 'the same row', codes: [10, 10], texts: old, counts: { ...idle, unsure: 1 } },
  { state: 'unsure', file: 'another text', codes: [10, 10], texts: old, counts: { ...idle, unsure: 1 } },
  { state: 'unsure', file: 'only others', codes: [0, 0], texts: old, counts: { ...idle, sent: 1, unsure: 0 } },
  {
    state: 'unsure',
    file: 'the same row',
    words: '--resend unsure',
    codes: [0, 0],
    texts: ['Ada', 'Ada'],
    counts: done,
  },
  {
    state: 'unsure',
    file: 'the same row',
    words: '--resend unsure',
    reply: 422,
    codes: [10, 10],
    texts: old,
    counts: { unsure: 1, failed: 0 },
  },
  { state: 'excluded', file: 'the same row', codes: [0, 0], texts: [], counts: { ...idle, not_sent: 1 } },
  {
    state: 'excluded',
    file: 'another text',
    words: '--no-exclude-from',
    codes: [0, 0],
    texts: latest,
    counts: { ...done, not_sent: 0 },
  },
  { state: 'not in --where', file: 'the same row', codes: [0, 0], texts: [], counts: { ...idle, not_sent: 1 } },
  { state: 'not in --where', file: 'another text', words: '--no-where', codes: [0, 0], texts: latest, counts: done },
  {
    state: 'not in --where',
    file: 'the same row',
    words: '--where city=Bonn',
    codes: [0, 0],
    texts: old,
    counts: { now: { sent: 1 } },
  },
  { state: 'opted out', file: 'the same row', codes: [0, 0], texts: [], counts: { ...idle, not_sent: 1 } },
  { state: 'opted out', file: 'another text', words: '--again', codes: [0, 0], texts: [], counts: { not_sent: 1 } },
  { state: 'cancelled', file: 'the same row', codes: [0, 0], texts: [], counts: { ...idle, not_sent: 1 } },
  { state: 'cancelled', file: 'another text', words: '--again', codes: [0, 0], texts: [], counts: { not_sent: 1 } },
  { state: 'cancelled', file: 'only others', codes: [0, 0], texts: [], counts: { ...idle, others: 0 } },
];

/** Ada gets into her state. */
async function prepare(machine: Machine, state: Cell['state']): Promise<void> {
  const [reply = 200, words = ''] = states[state];
  machine.write(people(1, 1), 'noex.csv');
  machine.reply = ({ phone }) => (phone === ada.phone ? reply : 200);
  if (state === 'opted out') await machine.run(`opt-outs add ${ada.phone}`);
  const typed = words.replace('noex.csv', `${machine.home}/noex.csv`);
  await machine.send(state === 'missing' ? [bob] : [bob, ada], `--batch autumn ${typed}`);
  if (state !== 'cancelled') return;
  expect((await machine.run(`batches cancel autumn --person ${ada.phone}`)).code).toBe(0);
}

describe('a batch has a row', () => {
  it.for(table.map((cell) => ({ words: '', reply: 200, ...cell })))(
    '$state, the file has $file, $words, the service answers $reply: exit $codes',
    async ({ state, file, words, reply, codes: [code, repeated], texts, counts }, { machine }) => {
      await prepare(machine, state);
      machine.reply = ({ phone }) => (phone === ada.phone ? reply : 200);
      expect(await machine.send(files[file], `--batch autumn ${words}`)).toMatchObject({ code, ...counts });
      const again = await machine.send(files[file], `--batch autumn ${words}`);
      expect(again).toMatchObject({ code: repeated, now: { sent: 0 } });
      expect(machine.texts(1)).toEqual(texts);
      expect(machine.texts(2)).toEqual(['Bob']);
    },
  );

  it.for([
    ['failed', [0, 0], ['Ada'], 2],
    ['waiting', [10, 10], ['Ada'], 3],
    ['sent', [0, 0], ['Ada'], 3],
  ] as const)('%s, and its phone is another one in the file', async ([state, codes, texts, rows], { machine }) => {
    await prepare(machine, state);
    machine.reply = () => 200;
    for (const code of codes)
      expect(await machine.send(files['another phone'], '--batch autumn')).toMatchObject({ code, sent: 2 });
    expect(machine.texts(3)).toEqual(texts);
    expect(await machine.report('autumn')).toHaveLength(rows);
  });
});
