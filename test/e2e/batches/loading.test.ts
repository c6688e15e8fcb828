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

type State = keyof typeof states;

/** Numbers after `now` are of this command. */
type Cell = readonly [
  state: State,
  file: keyof typeof files,
  words: string,
  /** Of the service to Ada. */
  reply: Reply,
  /** Exit codes of the command and of its repetition. */
  codes: readonly [number, number],
  /** What Ada may have got in the end. */
  texts: string,
  counts: string,
];

const none = 'now sent 0 failed 0 unsure 0';

const table: readonly Cell[] = [
  ['missing', 'the same row', '', 200, [0, 0], 'Ada', 'sent 2 now sent 1'],
  ['waiting', 'the same row', '', 200, [0, 0], 'Ada', 'sent 2 now sent 1'],
  ['waiting', 'another text', '', 200, [0, 0], 'Ava', 'sent 2 changed 0 now sent 1'],
  ['waiting', 'only others', '', 200, [10, 10], '', `others 1 ${none}`],
  ['sent', 'the same row', '', 200, [0, 0], 'Ada', `sent 2 ${none}`],
  ['sent', 'another text', '', 200, [10, 0], 'Ada', `sent 2 changed 1 ${none}`],
  ['sent', 'another city', '', 200, [0, 0], 'Ada', `sent 2 changed 0 ${none}`],
  ['sent', 'only others', '', 200, [0, 0], 'Ada', `sent 1 others 0 ${none}`],
  ['sent', 'the same row', '--resend changed', 200, [0, 0], 'Ada', none],
  ['sent', 'another text', '--resend changed', 200, [0, 0], 'Ada Ava', 'sent 2 changed 0 now sent 1'],
  ['sent', 'another text', '--resend changed', 422, [10, 10], 'Ada', 'sent 2 failed 0 changed 1 now sent 0'],
  ['sent', 'another text', '--resend changed', 409, [10, 10], 'Ada Ava', 'sent 1 unsure 1 now unsure 1'],
  ['failed', 'the same row', '', 200, [0, 0], '', `failed 1 ${none}`],
  ['failed', 'another text', '', 200, [0, 0], 'Ava', 'sent 2 failed 0 now sent 1'],
  ['failed', 'another city', '', 200, [0, 0], 'Ada', 'sent 2 failed 0 now sent 1'],
  ['failed', 'only others', '', 200, [0, 0], '', `sent 1 failed 0 ${none}`],
  ['failed', 'the same row', '--resend failed', 200, [0, 0], 'Ada', 'sent 2 now sent 1'],
  ['failed', 'another text', '', 422, [10, 0], '', 'failed 1 now failed 1'],
  ['unsure', 'the same row', '', 200, [10, 10], 'Ada', `unsure 1 ${none}`],
  ['unsure', 'another text', '', 200, [10, 10], 'Ada', `unsure 1 ${none}`],
  ['unsure', 'only others', '', 200, [0, 0], 'Ada', `sent 1 unsure 0 ${none}`],
  ['unsure', 'the same row', '--resend unsure', 200, [0, 0], 'Ada Ada', 'sent 2 now sent 1'],
  ['unsure', 'the same row', '--resend unsure', 422, [10, 10], 'Ada', 'unsure 1 failed 0'],
  ['excluded', 'the same row', '', 200, [0, 0], '', `not_sent 1 ${none}`],
  ['excluded', 'another text', '--no-exclude-from', 200, [0, 0], 'Ava', 'sent 2 not_sent 0 now sent 1'],
  ['not in --where', 'the same row', '', 200, [0, 0], '', `not_sent 1 ${none}`],
  ['not in --where', 'another text', '--no-where', 200, [0, 0], 'Ava', 'sent 2 now sent 1'],
  ['not in --where', 'the same row', '--where city=Bonn', 200, [0, 0], 'Ada', 'now sent 1'],
  ['opted out', 'the same row', '', 200, [0, 0], '', `not_sent 1 ${none}`],
  ['opted out', 'another text', '--again', 200, [0, 0], '', 'not_sent 1'],
  ['cancelled', 'the same row', '', 200, [0, 0], '', `not_sent 1 ${none}`],
  ['cancelled', 'another text', '--again', 200, [0, 0], '', 'not_sent 1'],
  ['cancelled', 'only others', '', 200, [0, 0], '', `others 0 ${none}`],
];

function countsIn(text: string): object {
  const numbers = (part: string) =>
    Object.fromEntries([...part.matchAll(/(\w+) (\d+)/g)].map(([, name = '', count]) => [name, Number(count)]));
  const [all = '', now] = text.split('now ');
  return { ...numbers(all), ...(now !== undefined && { now: numbers(now) }) };
}

/** Ada gets into her state. */
async function prepare(machine: Machine, state: State): Promise<void> {
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
  it.for(table)(
    '%s, the file has %s, %s, the service answers %s: exit %j',
    async ([state, file, words, reply, [code, repeated], texts, counts], { machine }) => {
      await prepare(machine, state);
      machine.reply = ({ phone }) => (phone === ada.phone ? reply : 200);
      expect(await machine.send(files[file], `--batch autumn ${words}`)).toMatchObject({ code, ...countsIn(counts) });
      const again = await machine.send(files[file], `--batch autumn ${words}`);
      expect(again).toMatchObject({ code: repeated, now: { sent: 0 } });
      expect(machine.texts(1).join(' ')).toBe(texts);
      expect(machine.texts(2)).toEqual(['Bob']);
    },
  );

  it.for([
    ['failed', [0, 0], ['Ada'], 2],
    ['waiting', [10, 10], ['Ada'], 3],
    ['sent', [0, 0], ['Ada'], 3],
  ] as const)('%s, and its phone differs in the file', async ([state, codes, texts, rows], { machine }) => {
    await prepare(machine, state);
    machine.reply = () => 200;
    for (const code of codes)
      expect(await machine.send(files['another phone'], '--batch autumn')).toMatchObject({ code, sent: 2 });
    expect(machine.texts(3)).toEqual(texts);
    expect(await machine.report('autumn')).toHaveLength(rows);
  });
});
