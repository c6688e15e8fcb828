import { describe, expect } from 'vitest';
import type { Reply } from '../../support/service.ts';
import { people, type Row } from './people.ts';
import { day, hour, it, keys, type Machine } from './rig.ts';

/** Ada and Bob are sent by the batch of each test; Ada may have got something before. */
const rows = people(1, 2, () => ({ order: '7' }));
const ada = rows.slice(0, 1);
const changed = (columns: Readonly<Record<string, string>>): readonly Row[] =>
  ada.map((row) => ({ ...row, ...columns }));

type Before = (machine: Machine) => Promise<unknown>;

const batch =
  (file: readonly Row[] = ada, words = '', template?: string): Before =>
  (machine) =>
    machine.send(file, `--batch other ${words}`, { file: 'other.csv', ...(template && { template }) });
const other = changed({ name: 'Other' });
const single =
  (name = 'P1'): Before =>
  (machine) =>
    machine.single({ phone: ada[0]?.phone ?? '', name });
const answered =
  (reply: Reply, act: Before): Before =>
  async (machine) => {
    machine.reply = () => reply;
    await act(machine);
    machine.reply = () => 200;
  };
const dead: Before = (machine) => machine.killed(1, ada, '--batch other', { file: 'other.csv' });
const waiting: Before = (machine) => machine.send([...people(3, 3), ...ada], '--batch other --first 1');
const practice: Before = async (machine) => {
  await machine.login('practice', keys.sandbox);
  await batch(ada, '--profile practice')(machine);
};
const client: Before = async (machine) => {
  await machine.login('client', keys.otherLive, 'other');
  await batch(ada, '--profile client')(machine);
};

interface Cell {
  readonly before: string;
  readonly does: Before;
  readonly wait?: number;
  readonly words?: string;
  /** The outcome of Ada's row. */
  readonly ada: 'sent now' | 'sent before' | 'held';
}

const [same, different, unsure] = [batch(), batch(other), answered(409, batch())];
const per = '--per order';

const table: readonly Cell[] = [
  { before: 'nothing', does: async () => {}, ada: 'sent now' },
  { before: 'the same text, 26 days ago', does: same, wait: 26 * day, ada: 'sent before' },
  { before: 'the same text, 28 days ago', does: same, wait: 28 * day, ada: 'sent now' },
  { before: 'another text, 19 hours ago', does: different, wait: 19 * hour, ada: 'held' },
  { before: 'another text, 21 hours ago', does: different, wait: 21 * hour, ada: 'sent now' },
  { before: 'a refused message', does: answered(422, same), ada: 'sent now' },
  { before: 'an unsure one, the same text, 60 days ago', does: unsure, wait: 60 * day, ada: 'held' },
  { before: 'an unsure one, another text, 19 hours ago', does: answered(409, different), wait: 19 * hour, ada: 'held' },
  {
    before: 'an unsure one, another text, 21 hours ago',
    does: answered(409, different),
    wait: 21 * hour,
    ada: 'sent now',
  },
  { before: 'one whose process died, 60 days ago', does: dead, wait: 60 * day, ada: 'held' },
  { before: 'one that waits, while no process works', does: waiting, ada: 'sent now' },
  { before: 'a single message', does: single(), wait: hour, ada: 'sent before' },
  { before: 'a single message with another text', does: single('Other'), wait: hour, ada: 'held' },
  { before: 'an unsure single message', does: answered(500, single()), wait: 60 * day, ada: 'held' },
  { before: 'another template', does: batch(ada, '', 'bye'), ada: 'sent now' },
  { before: 'a message of another account', does: client, ada: 'sent now' },
  { before: 'a message with a sandbox key', does: practice, ada: 'sent now' },
  { before: 'the same order', does: batch(ada, per), words: per, ada: 'sent before' },
  { before: 'another order', does: batch(changed({ order: '8' }), per), words: per, ada: 'sent now' },
  { before: 'no order, the same text', does: same, words: per, ada: 'sent before' },
  { before: 'no order, another text', does: different, words: per, ada: 'sent now' },
  { before: 'an order, for a row without', does: batch(other, per), ada: 'held' },
];

const outcomes = {
  'sent now': { codes: [0, 0], counts: { sent: 2, not_sent: 0, now: { sent: 2 }, before: [] } },
  'sent before': { codes: [10, 0], counts: { sent: 2, not_sent: 0, now: { sent: 1 }, before: [{ sent: 1 }] } },
  held: { codes: [10, 10], counts: { sent: 1, not_sent: 1, now: { sent: 1 }, reasons: [{ outcome: 'not_sent' }] } },
} as const;

const cells = table.map((cell) => ({ words: '', wait: 0, ...cell }));

describe('a person got before', () => {
  it.for(cells)('$before $words: $ada, once', async ({ does, wait, words, ada }, { machine }) => {
    await does(machine);
    machine.wait(wait);
    const earlier = machine.texts(1, keys.live).length;
    const { codes, counts } = outcomes[ada];
    expect(await machine.send(rows, `--batch autumn ${words}`)).toMatchObject({ code: codes[0], ...counts });
    const again = await machine.send(rows, `--batch autumn ${words}`);
    expect(again).toMatchObject({ code: codes[1], now: { sent: 0 } });
    expect(machine.texts(1, keys.live)).toHaveLength(earlier + (ada === 'sent now' ? 1 : 0));
    expect(machine.texts(2, keys.live)).toEqual(['P2']);
  });

  it.for(cells)('$before $words, and --again: one more', async ({ does, wait, words }, { machine }) => {
    await does(machine);
    machine.wait(wait);
    const earlier = machine.texts(1, keys.live).length;
    const typed = `--batch autumn --again ${words}`;
    expect(await machine.send(rows, typed)).toMatchObject({ code: 0, sent: 2, now: { sent: 2 }, before: [] });
    expect(await machine.send(rows, typed)).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(await machine.send(rows, `--batch autumn ${words}`)).toMatchObject({ code: 0, now: { sent: 0 } });
    expect(machine.texts(1, keys.live)).toHaveLength(earlier + 1);
  });

  it.for(cells)('$before $words, --again after that: one more', async ({ does, wait, words, ada }, { machine }) => {
    await does(machine);
    machine.wait(wait);
    const earlier = machine.texts(1, keys.live).length;
    await machine.send(rows, `--batch autumn ${words}`);
    const sent = ada === 'sent now' ? 0 : 1;
    const again = await machine.send(rows, `--batch autumn --again ${words}`);
    expect(again).toMatchObject({ code: 0, sent: 2, now: { sent }, before: [] });
    expect(machine.texts(1, keys.live)).toHaveLength(earlier + 1);
    expect(machine.texts(2, keys.live)).toEqual(['P2']);
  });
});

it('a second order without --per is held, and the screen names the column', async ({ machine }) => {
  await machine.send(ada, '--batch monday -p :order');
  const second = changed({ order: '8' });
  expect(await machine.send(second, '--batch tuesday -p :order')).toMatchObject({ code: 10, not_sent: 1 });
  expect(await machine.screen(second, '--batch tuesday -p :order')).toContain('--per order');
  expect(machine.texts(1)).toEqual(['7']);
});

describe('a person whom a process is about to send it', () => {
  it.for([
    ['on its way', '', 10],
    ['on its way', '--again', 10],
  ] as const)('%s in another batch %s is held, and sent by that', async ([, words, code], { machine }) => {
    const goOn = machine.hold();
    const isAsked = machine.arrived(1);
    const running = machine.start(ada, '--batch other', { file: 'other.csv' });
    await isAsked;
    const held = machine.start(rows, `--batch autumn ${words}`);
    await machine.arrived(1);
    goOn();
    expect(await held.ended).toMatchObject({ code, sent: 1, not_sent: 1 });
    expect(await running.ended).toMatchObject({ code: 0, sent: 1 });
    expect(machine.tally()).toEqual({ 1: 2 });
  });

  it('what others send after --again was given counts', async ({ machine }) => {
    await machine.send(rows, '--batch autumn --again --first 1');
    machine.wait(hour);
    await machine.send(rows.slice(1), '--batch other', { file: 'other.csv' });
    expect(await machine.resume('autumn')).toMatchObject({ code: 10, sent: 2, before: [{ batch: 'other', sent: 1 }] });
    expect(machine.tally()).toEqual({ 1: 2 });
  });

  it('is looked at again once a batch that held it is deleted', async ({ machine }) => {
    await machine.send(ada, '--batch other', { file: 'other.csv' });
    expect(await machine.send(rows, '--batch autumn')).toMatchObject({ code: 10, sent: 2 });
    expect((await machine.run('batches delete other --yes')).code).toBe(0);
    expect(await machine.send(rows, '--batch winter')).toMatchObject({ code: 10, now: { sent: 1 } });
    expect(machine.texts(1)).toEqual(['P1', 'P1']);
  });
});
