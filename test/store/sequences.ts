import {
  type File,
  type FileRow,
  type Answer,
  type How,
  isProcess,
  type Process,
  type Result,
  type SendOptions,
  type World,
} from './world.ts';

/** Commands, and what a user would want of them. */
export interface Sequence {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly expected: readonly unknown[];
}

type Step = (world: World) => Promise<unknown>;

const people = (texts: Readonly<Record<string, string>>, name = 'list'): File => ({
  name,
  rows: Object.entries(texts).map(([key, text]) => {
    const [phone, order = ''] = key.split('#');
    return { phone: `+${phone}`, order, text };
  }),
});
const csv = (rows: readonly Partial<FileRow>[], name = 'list'): File => ({
  name,
  rows: rows.map((row) => ({ text: 'hi', ...row })),
});
const four = csv(
  [
    ['1', 'B', '1'],
    ['2', 'B', '2'],
    ['3', 'K', '1'],
    ['4', 'K', '2'],
  ].map(([n, city, tier]) => ({ phone: `+${n}`, city, tier })),
);
const three = (text = 'hi') => people({ 1: text, 2: text, 3: text });
const range = (from: number, to: number, text = 'hi') =>
  people(Object.fromEntries(Array.from({ length: to - from }, (_, at) => [1000 + from + at, text])));

const pair = ({ exit, sent }: Result) => [exit, sent];
const send =
  (file: File, batch?: string, options: SendOptions = {}, how?: How): Step =>
  async (world) =>
    pair(await world.sendBatch({ file, batch, ...options }, how));
const sendTo =
  (fromBatch: string, options: SendOptions): Step =>
  async (world) =>
    pair(await world.sendBatch({ fromBatch, batch: 'f', ...options }));
const go =
  (name?: string, options: Partial<Parameters<World['resume']>[0]> = {}): Step =>
  async (world) =>
    pair(await world.resume({ name, ...options }));
const later =
  (hours: number): Step =>
  async (world) => {
    await world.pass(hours);
    return 'later';
  };
const isLive = ({ mode }: { readonly mode: string }) => mode === 'live';
const got =
  (phone: number): Step =>
  async ({ messages }) =>
    messages.filter((message) => message.phone === `+${phone}` && isLive(message)).length;
const twice: Step = async ({ messages }) => {
  const phones = messages.filter(isLive).map(({ phone }) => phone);
  return new Set(phones.filter((phone, at) => phones.indexOf(phone) !== at)).size;
};
const waits =
  (name: string): Step =>
  async (world) =>
    (await world.rows()).filter(({ batch, state }) => batch === name && state === 'waiting').length;
const elsewhere: Step = async (world) => (await world.rows()).find(({ batch }) => batch === 'b')?.by;
const single =
  (phone: number, text: string, options: { readonly again?: boolean } = {}, how?: How): Step =>
  async (world) =>
    (await world.sendTemplate({ phone: `+${phone}`, text, ...options }, how)).exit;
const answers =
  (map: Readonly<Record<string, Answer>>): Step =>
  async (world) => {
    world.answer = ({ phone }) => map[phone.slice(1)] ?? 'sent';
    return 'ok';
  };
const optOut =
  (account: string, phone: string): Step =>
  async (world) => {
    await world.optOut(account, phone);
    return 'ok';
  };
const optIn =
  (account: string, phone: string): Step =>
  async (world) => {
    await world.optIn(account, phone);
    return 'ok';
  };
const mark =
  (options: Parameters<World['mark']>[0]): Step =>
  async (world) =>
    (await world.mark(options)).exit;
const cancel =
  (options: Parameters<World['cancel']>[0]): Step =>
  async (world) =>
    (await world.cancel(options)).exit;
const remove =
  (options: Parameters<World['remove']>[0]): Step =>
  async (world) =>
    (await world.remove(options)).exit;
const background = new WeakMap<World, Process>();
const begin =
  (file: File, batch: string, steps: number, options: SendOptions = {}): Step =>
  async (world) => {
    const process = await world.begin({ file, batch, ...options });
    if (!isProcess(process)) return pair(process);
    background.set(world, process);
    for (let n = 0; n < steps; n++) await process.step();
    return 'works';
  };
const ends: Step = async (world) => {
  const process = background.get(world);
  while (process?.isAlive()) await process.step();
  return pair(process?.result() ?? { exit: -1, sent: 0 });
};
const ok = 'ok';
const stop = (stopAfter: number): How => ({ stopAfter });
const kill = (killAt: number): How => ({ killAt });
/** Crash points of one message after the load: claimed, answered, settled. */
const steps = (messages: number) => 3 * messages;

export const sequences: readonly Sequence[] = [
  {
    name: 'excluded on Friday, repeated on Monday without it',
    steps: [
      send(range(0, 40), 'k', { excludeFrom: ['+1030'] }, stop(19)),
      later(66),
      send(range(0, 40), 'k'),
      got(1030),
    ],
    expected: [[130, 19], 'later', [0, 20], 0],
  },
  {
    name: 'lifted',
    steps: [
      send(range(0, 40), 'k', { excludeFrom: ['+1030'] }),
      send(range(0, 40), 'k', { noExcludeFrom: true }),
      got(1030),
    ],
    expected: [[0, 39], [0, 1], 1],
  },
  {
    name: 'growing file, 20 days',
    steps: [
      async (world) => {
        for (let day = 0; day < 20; day++) {
          world.now = day * 24;
          await world.sendBatch({ file: range(0, (day + 1) * 3), batch: 'welcome' });
        }
        return world.messages.length;
      },
      twice,
    ],
    expected: [60, 0],
  },
  {
    name: 'daily text, a name a day',
    steps: [send(three('Mon'), 'd-{date}'), later(24), send(three('Tue'), 'd-{date}')],
    expected: [[0, 3], 'later', [0, 3]],
  },
  {
    name: 'another branch under the same name: reported, and no person is lost',
    steps: [send(range(0, 40), 'k', {}, stop(10)), send(range(50, 60), 'k'), waits('k'), go('k')],
    expected: [[130, 10], [10, 10], 30, [0, 30]],
  },
  {
    name: 'delta after an outage',
    steps: [
      send(range(0, 25, 'o1'), 'orders', {}, stop(5)),
      later(1),
      send(range(40, 42, 'o2'), 'orders'),
      go('orders'),
      twice,
    ],
    expected: [[130, 5], 'later', [10, 2], [0, 20], 0],
  },
  {
    name: 'repair file while others wait',
    steps: [
      answers({ 2: 'failed' }),
      send(three(), 'h', {}, stop(1)),
      send(three(), 'h'),
      answers({}),
      send(people({ 2: 'fixed' }), 'h'),
    ],
    expected: [ok, [130, 1], [10, 1], ok, [0, 1]],
  },
  {
    name: 'typo after 2, corrected, then --resend changed',
    steps: [
      send(three('Fr'), 'k', {}, stop(2)),
      send(three('Sa'), 'k'),
      send(three('Sa'), 'k', { resend: ['changed'] }),
      async ({ messages }) => messages.filter(({ text }) => text === 'Sa').length,
    ],
    expected: [[130, 2], [10, 1], [0, 2], 3],
  },
  {
    name: 'weekly newsletter, one had a single',
    steps: [single(1, 'x'), later(2), send(three('48'), 'w48'), later(20), send(three('48'), 'w48'), got(1)],
    expected: [0, 'later', [10, 2], 'later', [0, 1], 2],
  },
  {
    name: 'second order the same day without --per is held',
    steps: [send(people({ 1: 'A1' }), 'o9'), later(3), send(people({ 1: 'A2', 2: 'B' }), 'o12')],
    expected: [[0, 1], 'later', [10, 1]],
  },
  {
    name: 'the same with --per',
    steps: [
      send(people({ '1#1': 'A1' }), 'o', { per: 'order' }),
      later(3),
      send(people({ '1#1': 'A1', '1#2': 'A2' }), 'o', { per: 'order' }),
    ],
    expected: [[0, 1], 'later', [0, 1]],
  },
  {
    name: 'two clients at one address',
    steps: [send(range(0, 5), 'a', { account: 'A' }), send(range(3, 8), 'a', { account: 'B' })],
    expected: [
      [0, 5],
      [0, 5],
    ],
  },
  { name: 'a live script without a name', steps: [send(three()), got(1)], expected: [[2, 0], 0] },
  {
    name: 'typo fixed in a waiting row after Ctrl-C',
    steps: [
      send(three(), 'a', {}, stop(1)),
      send(people({ 1: 'hi', 2: 'hi!', 3: 'hi' }), 'a'),
      async ({ messages }) => messages[1]?.text,
    ],
    expected: [[130, 1], [0, 2], 'hi!'],
  },
  {
    name: 'typo fixed in a sent row: told once',
    steps: [
      send(three(), 'a', {}, stop(1)),
      send(people({ 1: 'hi!', 2: 'hi', 3: 'hi' }), 'a'),
      send(people({ 1: 'hi!', 2: 'hi', 3: 'hi' }), 'a'),
      got(1),
    ],
    expected: [[130, 1], [10, 2], [0, 0], 1],
  },
  {
    name: 'another name after Ctrl-C: no person twice',
    steps: [send(three(), 'a', {}, stop(1)), send(three(), 'b'), go('a'), twice],
    expected: [[130, 1], [10, 2], [10, 0], 0],
  },
  {
    name: 'daily reminder, same name, same text: once',
    steps: [send(three(), 'a'), later(24), send(three(), 'a')],
    expected: [[0, 3], 'later', [0, 0]],
  },
  {
    name: 'next day, other people, same name: yesterday is reported',
    steps: [send(three(), 'a', {}, stop(1)), later(17), send(people({ 4: 'x', 5: 'y' }), 'a'), go('a')],
    expected: [[130, 1], 'later', [10, 2], [0, 2]],
  },
  {
    name: 'interrupted Friday, repeated Monday',
    steps: [send(three(), 'a', {}, stop(1)), later(64), send(three(), 'a'), go('a')],
    expected: [[130, 1], 'later', [0, 2], [0, 0]],
  },
  {
    name: 'hourly cron, then a weekend',
    steps: [
      send(people({ 1: 'hi' }), 'c'),
      later(1),
      send(people({ 1: 'hi', 2: 'hi' }), 'c'),
      later(60),
      send(three(), 'c'),
      twice,
    ],
    expected: [[0, 1], 'later', [0, 1], 'later', [0, 1], 0],
  },
  {
    name: 'cron, a sent text changes: told once',
    steps: [
      send(three(), 'c'),
      later(24),
      send(people({ 1: 'hi', 2: '3 points', 3: 'hi' }), 'c'),
      later(24),
      send(people({ 1: 'hi', 2: '3 points', 3: 'hi' }), 'c'),
    ],
    expected: [[0, 3], 'later', [10, 0], 'later', [0, 0]],
  },
  {
    name: 'twice a day, the second is held',
    steps: [send(three(), 'am'), later(8), send(three('b'), 'pm'), later(15), send(three('c'), 'am2')],
    expected: [[0, 3], 'later', [10, 0], 'later', [0, 3]],
  },
  {
    name: 'two orders without --per',
    steps: [
      send({ name: 'o', rows: [...people({ '1#1': 'o1', 2: 'x' }).rows, ...people({ '1#2': 'o2' }).rows] }, 'o'),
      got(1),
    ],
    expected: [[11, 0], 0],
  },
  {
    name: '--per phone: one each, the first',
    steps: [
      send({ name: 'o', rows: [...people({ '1#1': 'o1', 2: 'x' }).rows, ...people({ '1#2': 'o2' }).rows] }, 'o', {
        per: 'phone',
      }),
      got(1),
    ],
    expected: [[0, 2], 1],
  },
  {
    name: 'another --per later',
    steps: [send(three(), 'o'), send(three(), 'o', { per: 'order' })],
    expected: [
      [0, 3],
      [2, 0],
    ],
  },
  {
    name: 'late people, own file, same name',
    steps: [send(three(), 'p', {}, stop(1)), send(people({ 4: 'hi' }, 'late'), 'p'), go('p')],
    expected: [
      [130, 1],
      [10, 1],
      [0, 2],
    ],
  },
  {
    name: 'failed rows repaired after Ctrl-C',
    steps: [
      answers({ 1: 'failed' }),
      send(three(), 'p', {}, kill(3 + steps(1))),
      answers({}),
      send(people({ 1: 'fixed' }), 'p'),
      go('p'),
    ],
    expected: [ok, [137, 0], ok, [10, 1], [0, 2]],
  },
  {
    name: 'row removed, added again',
    steps: [send(three(), 'a', {}, stop(1)), send(people({ 1: 'hi', 2: 'hi' }), 'a'), send(three(), 'a')],
    expected: [
      [130, 1],
      [10, 1],
      [0, 1],
    ],
  },
  {
    name: 'excluded by mistake, list corrected',
    steps: [
      send(three(), 'a', { excludeFrom: ['+2'] }),
      send(three(), 'a', { noExcludeFrom: true, excludeFrom: ['+3'] }),
      got(2),
    ],
    expected: [[0, 2], [0, 1], 1],
  },
  {
    name: 'STOP while it works; START an hour later',
    steps: [begin(three(), 'a', 3), optOut('A', '+2'), ends, later(1), optIn('A', '+2'), send(three(), 'a')],
    expected: ['works', ok, [0, 2], 'later', ok, [0, 1]],
  },
  {
    name: 'single to a waiting person while the batch works',
    steps: [begin(three(), 'a', 3), single(3, 'hi'), ends, twice],
    expected: ['works', 0, [10, 2], 0],
  },
  {
    name: '--again in a loop',
    steps: [send(three(), 'a'), send(three(), 'x', { again: true }), send(three(), 'x', { again: true }), got(1)],
    expected: [[0, 3], [0, 3], [0, 0], 2],
  },
  {
    name: '--again under a name that has sent: what it sent itself is not sent again',
    steps: [send(three(), 'x'), send(three(), 'x', { again: true }), got(1)],
    expected: [[0, 3], [0, 0], 1],
  },
  {
    name: 'killed run of last week, other text today',
    steps: [send(three(), 'x', {}, kill(4)), later(7 * 24), send(three('r'), 'r')],
    expected: [[137, 0], 'later', [0, 3]],
  },
  {
    name: 'cancelled, cron repeats',
    steps: [send(three(), 'c', {}, stop(1)), cancel({ name: 'c' }), later(1), send(three(), 'c'), go('c'), twice],
    expected: [[130, 1], 0, 'later', [11, 0], [11, 0], 0],
  },
  {
    name: 'sandbox, then live, then resume',
    steps: [send(three(), 'a', { mode: 'sandbox' }), send(three(), 'a', {}, stop(1)), go('a'), got(1)],
    expected: [[0, 3], [130, 1], [0, 2], 1],
  },
  {
    name: '--first 1 in an interrupted batch: the rest waits',
    steps: [send(three(), 'a', { first: 1 }), send(three(), 'a'), twice],
    expected: [[0, 1], [0, 2], 0],
  },
  {
    name: 'two templates, one name',
    steps: [send(three(), 'a'), send(three(), 'a', { template: 'U' })],
    expected: [
      [0, 3],
      [2, 0],
    ],
  },
  {
    name: 'reminder two days later, same text, then --again',
    steps: [send(three(), 'a'), later(48), send(three(), 'r2'), send(three(), 'r3', { again: true })],
    expected: [[0, 3], 'later', [10, 0], [0, 3]],
  },
  {
    name: 'a phone that was fixed replaces its row',
    steps: [
      send(
        {
          name: 'l',
          rows: [
            { phone: '+1', n: 'A', text: 'h' },
            { phone: 'x2', n: 'B', text: 'h' },
          ],
        },
        'a',
      ),
      send(
        {
          name: 'l',
          rows: [
            { phone: '+1', n: 'A', text: 'h' },
            { phone: '+2', n: 'B', text: 'h' },
          ],
        },
        'a',
      ),
      async (world) => (await world.rows()).length,
    ],
    expected: [[10, 1], [0, 1], 2],
  },
  {
    name: 'the same failed row is not tried again; --resend failed does',
    steps: [
      answers({ 2: 'failed' }),
      send(three(), 'a'),
      answers({}),
      send(three(), 'a'),
      send(three(), 'a', { resend: ['failed'] }),
    ],
    expected: [ok, [10, 2], ok, [0, 0], [0, 1]],
  },
  {
    name: 'unsure: not once more by itself; --resend unsure',
    steps: [
      answers({ 2: 'unsure' }),
      send(three(), 'a'),
      answers({}),
      send(three(), 'a'),
      send(three(), 'a', { resend: ['unsure'] }),
    ],
    expected: [ok, [10, 2], ok, [10, 0], [0, 1]],
  },
  {
    name: 'mark --sent',
    steps: [
      answers({ 2: 'unsure, accepted' }),
      send(three(), 'a'),
      mark({ name: 'a', as: 'sent' }),
      send(three(), 'a'),
      got(2),
    ],
    expected: [ok, [10, 2], 0, [0, 0], 1],
  },
  {
    name: 'mark --not-sent',
    steps: [
      answers({ 2: 'unsure' }),
      send(three(), 'a'),
      answers({}),
      mark({ name: 'a', as: 'not sent' }),
      send(three(), 'a'),
      got(2),
    ],
    expected: [ok, [10, 2], ok, 0, [0, 1], 1],
  },
  {
    name: 'kill -9 after the claim: unsure, never twice',
    steps: [send(three(), 'a', {}, kill(4)), send(three(), 'a'), twice],
    expected: [[137, 0], [10, 2], 0],
  },
  {
    name: 'follow-up to those who got it',
    steps: [answers({ 2: 'failed' }), send(three(), 'a'), answers({}), sendTo('a', { template: 'U', text: 'more' })],
    expected: [ok, [10, 2], ok, [0, 2]],
  },
  {
    name: '--from-batch a:failed under another template',
    steps: [
      answers({ 2: 'failed' }),
      send(three(), 'a'),
      answers({}),
      sendTo('a:failed', { template: 'U', text: 'x' }),
    ],
    expected: [ok, [10, 2], ok, [0, 1]],
  },
  {
    name: '--from-batch of a sandbox batch with a live key',
    steps: [send(three(), 'a', { mode: 'sandbox' }), sendTo('a', { template: 'U', text: 'x' })],
    expected: [
      [0, 3],
      [5, 0],
    ],
  },
  {
    name: 'cancel --person stays cancelled',
    steps: [send(three(), 'a', {}, stop(1)), cancel({ name: 'a', person: '+2' }), send(three(), 'a'), got(2)],
    expected: [[130, 1], 0, [0, 1], 0],
  },
  {
    name: 'cancel --missing',
    steps: [
      send(three(), 'a', {}, stop(1)),
      send(people({ 1: 'hi' }), 'a'),
      cancel({ name: 'a', missing: true }),
      go('a'),
      got(3),
    ],
    expected: [[130, 1], [10, 0], 0, [0, 0], 0],
  },
  {
    name: 'cancel stops a process',
    steps: [begin(three(), 'a', 6), cancel({ name: 'a' }), ends, got(2)],
    expected: ['works', 0, [0, 1], 0],
  },
  {
    name: 'two commands at the same time, one batch',
    steps: [begin(three(), 'a', 4), send(three(), 'a'), ends, twice],
    expected: ['works', [11, 0], [0, 3], 0],
  },
  {
    name: 'two batches at the same time, the same people',
    steps: [begin(three(), 'a', 4), send(three(), 'b'), ends, twice, send(three(), 'b')],
    expected: ['works', [10, 0], [0, 3], 0, [10, 0]],
  },
  {
    name: '--at-most',
    steps: [send(three(), 'a', { atMost: 2 }), send(three(), 'a', { atMost: 3 })],
    expected: [
      [11, 0],
      [0, 3],
    ],
  },
  {
    name: '--where is kept',
    steps: [
      send(people({ '1#x': 'h', '2#y': 'h' }), 'a', { where: { order: 'x' } }),
      send(people({ '1#x': 'h', '2#y': 'h' }), 'a'),
      send(people({ '1#x': 'h', '2#y': 'h' }), 'a', { noWhere: true }),
    ],
    expected: [
      [0, 1],
      [0, 0],
      [0, 1],
    ],
  },
  {
    name: 'import repeated; a changed contact is reported once',
    steps: [
      send(three(), 'c', { kind: 'import' }),
      send(three(), 'c', { kind: 'import' }),
      send(people({ 1: 'new', 2: 'hi', 3: 'hi' }), 'c', { kind: 'import' }),
      send(people({ 1: 'new', 2: 'hi', 3: 'hi' }), 'c', { kind: 'import' }),
    ],
    expected: [
      [0, 3],
      [0, 0],
      [10, 0],
      [0, 0],
    ],
  },
  {
    name: 'import without a name, then send to the same file',
    steps: [
      send(three(), undefined, { kind: 'import', mode: 'sandbox' }),
      send(three(), undefined, { mode: 'sandbox' }),
      async (world) => (await world.batches()).map(({ name }) => name).join(),
    ],
    expected: [[0, 3], [0, 3], 'list,list-2'],
  },
  {
    name: 'sandbox without a name: practise again and again',
    steps: [
      send(three(), undefined, { mode: 'sandbox' }),
      send(three(), undefined, { mode: 'sandbox' }),
      send(three(), undefined, { mode: 'sandbox' }, stop(1)),
      send(three(), undefined, { mode: 'sandbox' }),
    ],
    expected: [
      [0, 3],
      [0, 3],
      [130, 1],
      [0, 2],
    ],
  },
  {
    name: '{date} across midnight: no person twice',
    steps: [later(23.9), send(three(), 'n-{date}', {}, stop(1)), later(0.2), send(three(), 'n-{date}'), twice],
    expected: ['later', [130, 1], 'later', [10, 2], 0],
  },
  {
    name: 'delete, then the same people',
    steps: [send(three(), 'a'), remove({ name: 'a' }), send(three(), 'b')],
    expected: [[0, 3], 0, [0, 3]],
  },
  {
    name: 'opted out outranks --again and singles',
    steps: [optOut('A', '+1'), send(three(), 'a', { again: true }), single(1, 'x', { again: true })],
    expected: [ok, [0, 2], 11],
  },
  {
    name: 'single twice within 10 minutes',
    steps: [single(1, 'x'), single(1, 'x'), later(0.2), single(1, 'x')],
    expected: [0, 11, 'later', 0],
  },
  {
    name: 'single after a batch, same text',
    steps: [send(three(), 'a'), later(5), single(1, 'hi'), single(1, 'hi', { again: true })],
    expected: [[0, 3], 'later', 11, 0],
  },
  {
    name: 'a refused --resend changed keeps what was sent',
    steps: [
      send(three(), 'a'),
      answers({ 1: 'failed' }),
      send(people({ 1: 'B', 2: 'hi', 3: 'hi' }), 'a', { resend: ['changed'] }),
      send(three('hi'), 'b'),
    ],
    expected: [[0, 3], 'ok', [10, 0], [10, 0]],
  },
  {
    name: 'cut off while loading: resume must not send a part',
    steps: [send(three(), 'a', {}, kill(2)), go('a'), send(three(), 'a')],
    expected: [
      [137, 0],
      [11, 0],
      [0, 3],
    ],
  },
  {
    name: 'who got it by another batch is reported with its name',
    steps: [send(three(), 'a'), send(three(), 'b'), elsewhere],
    expected: [[0, 3], [10, 0], 'a'],
  },
  {
    name: 'held rows by --again under the same name',
    steps: [
      send(people({ 1: 'a' }), 'vip'),
      send(three('b'), 'autumn'),
      send(three('b'), 'autumn', { again: true }),
      send(three('b'), 'autumn', { again: true }),
      got(1),
    ],
    expected: [[0, 1], [10, 2], [0, 1], [0, 0], 2],
  },
  {
    name: '--again is kept: a repeat without it sends no person twice',
    steps: [
      send(three(), 'a'),
      send(three(), 'b', { again: true }, stop(1)),
      send(three(), 'b'),
      send(three(), 'b'),
      got(3),
    ],
    expected: [[0, 3], [130, 1], [0, 2], [0, 0], 2],
  },
  {
    name: '--again once more also sends who has the same text from elsewhere',
    steps: [
      send(people({ 1: 'hi' }), 'vip'),
      send(three(), 'all'),
      send(three(), 'all', { again: true }),
      got(1),
      got(2),
    ],
    expected: [[0, 1], [10, 2], [0, 1], 2, 1],
  },
  {
    name: 'what others send after --again was given counts',
    steps: [send(three(), 'a', { again: true }, stop(1)), later(1), send(people({ 2: 'hi' }), 'b'), go('a'), got(2)],
    expected: [[130, 1], 'later', [0, 1], [10, 1], 1],
  },
  {
    name: 'under way counts also with --again',
    steps: [begin(people({ 1: 'hi' }), 'a', 3), send(people({ 1: 'hi' }), 'b', { again: true }), ends, got(1)],
    expected: ['works', [10, 0], [0, 1], 1],
  },
  {
    name: 'same text elsewhere stays sent: also after 28 days',
    steps: [send(people({ 1: 'hi' }), 'vip'), send(three(), 'all'), later(28 * 24), send(three(), 'all'), got(1)],
    expected: [[0, 1], [10, 2], 'later', [0, 0], 1],
  },
  {
    name: 'same text elsewhere, a new batch after 28 days sends',
    steps: [send(three(), 'a'), later(28 * 24), send(three(), 'b')],
    expected: [[0, 3], 'later', [0, 3]],
  },
  {
    name: 'sent by another, then the text changes: told once, --resend changed',
    steps: [
      send(people({ 1: 'hi' }), 'vip'),
      later(24),
      send(people({ 1: 'hi' }), 'b'),
      send(people({ 1: 'new' }), 'b'),
      send(people({ 1: 'new' }), 'b'),
      send(people({ 1: 'new' }), 'b', { resend: ['changed'] }),
      got(1),
    ],
    expected: [[0, 1], 'later', [10, 0], [10, 0], [0, 0], [0, 1], 2],
  },
  {
    name: 'held another text for 20 hours, then sent by the same command',
    steps: [send(three('a'), 'am'), later(8), send(three('b'), 'pm'), later(13), send(three('b'), 'pm')],
    expected: [[0, 3], 'later', [10, 0], 'later', [0, 3]],
  },
  {
    name: 'a held row does not hold others',
    steps: [
      send(people({ 1: 'a' }), 'x'),
      later(15),
      send(people({ 1: 'b' }), 'y'),
      later(6),
      send(people({ 1: 'c' }), 'z'),
    ],
    expected: [[0, 1], 'later', [10, 0], 'later', [0, 1]],
  },
  {
    name: 'mark by phone, singles too',
    steps: [
      answers({ 1: 'unsure' }),
      single(1, 'hi'),
      answers({}),
      later(9000),
      send(people({ 1: 'hi' }), 'b'),
      mark({ phone: '+1', as: 'not sent' }),
      send(people({ 1: 'hi' }), 'b'),
      got(1),
    ],
    expected: [ok, 13, ok, 'later', [10, 0], 0, [0, 1], 1],
  },
  {
    name: 'mark by phone --sent: the batch counts it as sent',
    steps: [
      answers({ 1: 'unsure, accepted' }),
      single(1, 'hi'),
      answers({}),
      send(people({ 1: 'hi' }), 'b'),
      mark({ phone: '+1', as: 'sent' }),
      send(people({ 1: 'hi' }), 'b'),
      got(1),
    ],
    expected: ['ok', 13, 'ok', [10, 0], 0, [10, 0], 1],
  },
  {
    name: 'mark by phone, two orders of one person: --lines',
    steps: [
      answers({ 1: 'unsure' }),
      send(people({ '1#1': 'A', '1#2': 'B' }), 'o', { per: 'order' }),
      mark({ phone: '+1', as: 'sent' }),
      mark({ phone: '+1', lines: [1], as: 'sent' }),
      mark({ phone: '+1', lines: [2], as: 'not sent' }),
      answers({}),
      send(people({ '1#1': 'A', '1#2': 'B' }), 'o', { per: 'order' }),
    ],
    expected: [ok, [10, 0], 2, 0, 0, ok, [0, 1]],
  },
  {
    name: 'mark while a process works on it',
    steps: [answers({ 1: 'unsure' }), begin(three(), 'a', 7), mark({ phone: '+1', as: 'sent' }), ends],
    expected: [ok, 'works', 11, [10, 2]],
  },
  {
    name: 'the report corrected: bizmsg_row replaces its row',
    steps: [
      send(csv([{ phone: '+1' }, { phone: 'x2' }, { phone: 'x3' }]), 'a'),
      send(csv([{ phone: '+3', bizmsg_row: 3 }], 'fix'), 'a'),
      async (world) => (await world.rows()).map(({ phone }) => phone.slice(0, 2)).join(),
    ],
    expected: [[10, 1], [0, 1], '+1,?{,+3'],
  },
  {
    name: 'the report uncorrected: the same row is not tried again',
    steps: [
      answers({ 2: 'failed' }),
      send(three(), 'a'),
      answers({}),
      send(
        {
          name: 'fix',
          rows: three()
            .rows.slice(1, 2)
            .map((row) => ({ ...row, bizmsg_row: 2 })),
        },
        'a',
      ),
    ],
    expected: [ok, [10, 2], ok, [0, 0]],
  },
  {
    name: 'line 1 of another file is not line 1 of the batch',
    steps: [
      send(
        csv([
          { phone: 'x1', n: 'A' },
          { phone: 'x2', n: 'B' },
        ]),
        'a',
      ),
      send(csv([{ phone: '+9', n: 'A' }], 'fix'), 'a'),
      async (world) => (await world.rows()).length,
    ],
    expected: [[10, 0], [0, 1], 3],
  },
  {
    name: 'a phone alone does not tell which line was fixed',
    steps: [
      send(csv([{ phone: 'x1' }, { phone: 'x2' }]), 'a'),
      send(csv([{ phone: '+2' }]), 'a'),
      async (world) => (await world.rows()).length,
    ],
    expected: [[10, 0], [0, 1], 3],
  },
  {
    name: 'cancelled rows stay, whatever the file says',
    steps: [
      send(three(), 'a', {}, stop(1)),
      cancel({ name: 'a', person: '+2' }),
      send(three('new'), 'a', { resend: ['failed', 'unsure'] }),
      send(three('new'), 'a', { again: true }),
      got(2),
    ],
    expected: [[130, 1], 0, [10, 1], [0, 0], 0],
  },
  {
    name: 'cancel in another account does nothing here',
    steps: [send(three(), 'a', {}, stop(1)), cancel({ name: 'a', account: 'B' }), send(three(), 'a')],
    expected: [[130, 1], 5, [0, 2]],
  },
  {
    name: 'a cut load of a batch that exists: resume is refused, the command goes on',
    steps: [send(three(), 'a'), send(range(0, 5), 'a', {}, kill(5)), go('a'), send(range(0, 5), 'a'), twice],
    expected: [[0, 3], [137, 0], [11, 0], [0, 5], 0],
  },
  {
    name: 'a cut load keeps --exclude-from',
    steps: [send(three(), 'a', { excludeFrom: ['+2'] }, kill(2)), send(three(), 'a'), got(2)],
    expected: [[137, 0], [0, 2], 0],
  },
  {
    name: '--resend changed refused keeps sent: no second message, told once',
    steps: [
      send(people({ 1: 'hi' }), 'a'),
      answers({ 1: 'failed' }),
      send(people({ 1: 'B' }), 'a', { resend: ['changed'] }),
      answers({}),
      send(people({ 1: 'B' }), 'a'),
      send(people({ 1: 'hi' }), 'a'),
      got(1),
    ],
    expected: [[0, 1], ok, [10, 0], ok, [0, 0], [0, 0], 1],
  },
  {
    name: '--resend changed killed under way: repeated, it never sends the new text twice',
    steps: [
      send(people({ 1: 'hi' }), 'a'),
      answers({ 1: 'unsure, accepted' }),
      send(people({ 1: 'B' }), 'a', { resend: ['changed'] }),
      answers({}),
      send(people({ 1: 'B' }), 'a', { resend: ['changed'] }),
      got(1),
    ],
    expected: [[0, 1], ok, [10, 0], ok, [10, 0], 2],
  },
  {
    name: 'the earlier text of a --resend still counts',
    steps: [
      send(people({ 1: 'hi' }), 'a'),
      send(people({ 1: 'B' }), 'a', { resend: ['changed'] }),
      later(48),
      send(people({ 1: 'hi' }), 'b'),
      send(people({ 1: 'B' }), 'c'),
    ],
    expected: [[0, 1], [0, 1], 'later', [10, 0], [10, 0]],
  },
  {
    name: '--resend sends only people of the file',
    steps: [
      answers({ 2: 'unsure', 3: 'unsure' }),
      send(three(), 'a'),
      answers({}),
      send(people({ 2: 'hi' }), 'a', { resend: ['unsure'] }),
      got(3),
    ],
    expected: [ok, [10, 1], ok, [0, 1], 0],
  },
  {
    name: 'a row counts where it was sent: with that batch deleted it can be sent again',
    steps: [send(three(), 'vip'), send(three(), 'b'), remove({ name: 'vip' }), send(three(), 'c')],
    expected: [[0, 3], [10, 0], 0, [0, 3]],
  },
  {
    name: 'resume --resend failed',
    steps: [answers({ 2: 'failed' }), send(three(), 'a'), answers({}), go('a'), go('a', { resend: ['failed'] })],
    expected: [ok, [10, 2], ok, [0, 0], [0, 1]],
  },
  {
    name: '--first across repeats: the second sends nothing, the third the rest',
    steps: [
      send(three(), 'a', { first: 1 }),
      send(three(), 'a', { first: 1 }),
      send(three(), 'a', { first: 2 }),
      send(three(), 'a'),
    ],
    expected: [
      [0, 1],
      [0, 0],
      [0, 1],
      [0, 1],
    ],
  },
  {
    name: '--first counts unsure, and --at-most what --first leaves',
    steps: [answers({ 1: 'unsure' }), send(three(), 'a', { first: 1, atMost: 1 }), send(three(), 'a', { first: 1 })],
    expected: [ok, [10, 0], [10, 0]],
  },
  {
    name: '--per: a second order in another batch goes, the first not again',
    steps: [
      send(people({ '1#1': 'A' }), 'mon', { per: 'order' }),
      later(3),
      send(people({ '1#1': 'A', '1#2': 'B' }), 'tue', { per: 'order' }),
      got(1),
    ],
    expected: [[0, 1], 'later', [10, 1], 2],
  },
  {
    name: '--per: a send without a value counts only for the same text',
    steps: [single(1, 'A'), later(3), send(people({ '1#1': 'A', '1#2': 'B' }), 'o', { per: 'order' })],
    expected: [0, 'later', [10, 1]],
  },
  {
    name: 'without --per any value counts',
    steps: [send(people({ '1#1': 'A' }), 'o', { per: 'order' }), later(3), send(people({ 1: 'B' }), 'p')],
    expected: [[0, 1], 'later', [10, 0]],
  },
  {
    name: '--per, a corrected order under the same name is changed',
    steps: [
      send(people({ '1#1': 'A' }), 'o', { per: 'order' }),
      send(people({ '1#1': 'A!' }), 'o', { per: 'order' }),
      send(people({ '1#1': 'A!' }), 'o'),
    ],
    expected: [
      [0, 1],
      [10, 0],
      [0, 0],
    ],
  },
  {
    name: 'failed told once, changed told once for each new text',
    steps: [
      answers({ 2: 'failed' }),
      send(three(), 'a'),
      send(three(), 'a'),
      send(people({ 1: 'x', 2: 'hi', 3: 'hi' }), 'a'),
      send(people({ 1: 'x', 2: 'hi', 3: 'hi' }), 'a'),
      send(people({ 1: 'y', 2: 'hi', 3: 'hi' }), 'a'),
    ],
    expected: [ok, [10, 2], [0, 0], [10, 0], [0, 0], [10, 0]],
  },
  {
    name: 'sandbox: the same people under two names, a note only',
    steps: [
      send(three(), 'a', { mode: 'sandbox' }),
      send(three(), 'b', { mode: 'sandbox' }),
      send(three(), 'a', { mode: 'sandbox' }),
    ],
    expected: [
      [0, 3],
      [0, 3],
      [0, 0],
    ],
  },
  {
    name: 'two accounts: same name, same people, and STOP of one only',
    steps: [optOut('A', '+1'), send(three(), 'a'), send(three(), 'a', { account: 'B' })],
    expected: [ok, [0, 2], [0, 3]],
  },
  {
    name: 'kept options: excluded phones add up',
    steps: [
      send(three(), 'a', { excludeFrom: ['+1'] }),
      send(people({ 1: 'hi', 2: 'hi', 3: 'hi', 4: 'hi' }), 'a', { excludeFrom: ['+4'] }),
      send(people({ 1: 'hi', 4: 'hi' }), 'a'),
    ],
    expected: [
      [0, 2],
      [0, 0],
      [0, 0],
    ],
  },
  {
    name: 'resume keeps them too, and takes --exclude-from',
    steps: [
      send(three(), 'a', { excludeFrom: ['+2'] }, stop(1)),
      go('a', { excludeFrom: ['+3'] }),
      send(three(), 'a', { noExcludeFrom: true }),
    ],
    expected: [
      [130, 1],
      [0, 0],
      [0, 2],
    ],
  },
  {
    name: 'several --where must all hold; the next replaces them',
    steps: [
      send(four, 'a', { where: { city: 'B', tier: '1' } }),
      send(four, 'a'),
      send(four, 'a', { where: { city: 'B' } }),
      send(four, 'a', { noWhere: true }),
    ],
    expected: [
      [0, 1],
      [0, 0],
      [0, 1],
      [0, 2],
    ],
  },
  {
    name: '30 days of a growing daily file',
    steps: [
      async (world) => {
        const exits = new Set<number>();
        for (let day = 0; day < 30; day++) {
          world.now = day * 24;
          exits.add((await world.sendBatch({ file: range(0, day + 1), batch: 'welcome' })).exit);
        }
        return [[...exits], world.messages.length];
      },
      twice,
    ],
    expected: [[[0], 30], 0],
  },
  {
    name: 'resume without a name: the only one that waits',
    steps: [
      send(three(), 'a', {}, stop(1)),
      go(),
      go(),
      send(range(0, 2), 'b', {}, stop(1)),
      send(range(5, 7), 'c', {}, stop(1)),
      go(),
    ],
    expected: [
      [130, 1],
      [0, 2],
      [11, 0],
      [130, 1],
      [130, 1],
      [11, 0],
    ],
  },
  {
    name: 'without a name the latest counts, and a template has its own',
    steps: [
      send(three(), undefined, { mode: 'sandbox' }),
      send(three(), undefined, { mode: 'sandbox', template: 'U' }),
      send(three(), undefined, { mode: 'sandbox' }, stop(1)),
      send(three(), undefined, { mode: 'sandbox' }),
      async (world) => (await world.batches()).map(({ name }) => name).join(),
    ],
    expected: [[0, 3], [0, 3], [130, 1], [0, 2], 'list,list-2,list-3'],
  },
  {
    name: 'a terminal: none, all once more',
    steps: [
      send(three(), 'a'),
      send(three(), 'b', { terminal: 'nobody' }),
      send(three(), 'b', { terminal: 'all' }),
      send(three(), 'b'),
    ],
    expected: [
      [0, 3],
      [11, 0],
      [0, 3],
      [0, 0],
    ],
  },
  {
    name: 'an import: another body elsewhere is changed, told once; STOP does not stop a contact',
    steps: [
      optOut('A', '+1'),
      send(three(), 'c', { kind: 'import' }),
      later(9000),
      send(three('new'), 'd', { kind: 'import' }),
      send(three('new'), 'd', { kind: 'import' }),
    ],
    expected: [ok, [0, 3], 'later', [10, 0], [0, 0]],
  },
  {
    name: 'an import has no --resend changed; a row without a phone is its body',
    steps: [
      send(csv([{ email: 'a' }, { email: 'b' }]), 'c', { kind: 'import' }),
      send(csv([{ email: 'a' }, { email: 'c' }]), 'c', { kind: 'import' }),
      send(three(), 'c', { kind: 'import', resend: ['changed'] }),
    ],
    expected: [
      [0, 2],
      [0, 1],
      [2, 0],
    ],
  },
];
