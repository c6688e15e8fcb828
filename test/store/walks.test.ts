import { expect, it } from 'vitest';
import { createRandom } from '../../src/sandbox/state/ids.ts';
import { createBoth } from './both.ts';
import { missingPostgres } from '../support/postgres.ts';
import { drivers } from './drivers.ts';
import { createModel } from './model.ts';
import { createStoreWorld } from './store-world.ts';
import {
  type Answer,
  type File,
  type FileRow,
  isProcess,
  type Process,
  type SendOptions,
  type World,
} from './world.ts';

/** More of them with WALKS=2000; another place to start with WALK=1234. */
const count = Number(process.env['WALKS'] ?? 150);
const first = Number(process.env['WALK'] ?? 1);

it.skipIf(missingPostgres !== undefined)(`runs on PostgreSQL, too ${missingPostgres ?? ''}`, () => {
  expect(drivers.map(({ where }) => where)).toContain('on PostgreSQL');
});

it.each(drivers.filter(({ where }) => where !== 'in a file'))(
  'does as the model $where, in random walks of commands, kills, edits and clocks',
  async ({ where, open }) => {
    // A server takes longer.
    const walks = where === 'in memory' ? count : Math.ceil(count / 15);
    for (let seed = first; seed < first + walks; seed++) {
      const told: string[] = [];
      const walk = createWalk(seed, createStoreWorld(await open()), told);
      const problem = await walk.go().then(
        () => undefined,
        (error: unknown) => new Error(`walk ${seed}\n${told.join('\n')}`, { cause: error }),
      );
      expect(problem).toBeUndefined();
    }
  },
  count * 1000,
);

interface Person extends FileRow {
  readonly phone: string;
  readonly order: string;
}

function createWalk(seed: number, store: World, told: string[]) {
  const random = createRandom(seed * 7919);
  const answers = createRandom(seed * 104_729);
  const below = (limit: number) => Math.floor(random() * limit);
  const chance = (probability: number) => random() < probability;
  const model = createModel();
  const world = createBoth(model, store, told);
  const accounts = chance(0.2) ? ['A', 'B'] : ['A'];
  const usesPer = chance(0.25);
  const texts = chance(0.5) ? ['t'] : ['t', 'u'];
  const files: File[] = [0, 1].map(() => ({ name: 'f', rows: [1, 2, 3].map(person) }));
  let background: Process | undefined;
  let last: SendOptions | undefined;
  // Both worlds must get the same answers.
  const given: Answer[] = [];
  let asked = 0;
  model.answer = () => {
    given.push(pickAnswer(answers()));
    return given.at(-1) ?? 'sent';
  };
  store.answer = () => given[asked++] ?? 'sent';
  return { go };

  function pick<T>(list: readonly T[]): T {
    const item = list[below(list.length)];
    if (item === undefined) throw new Error('an empty list');
    return item;
  }

  function person(n: number): Person {
    return { phone: `+${n}`, order: pick(['x', 'y']), text: pick(texts) };
  }

  async function go(): Promise<void> {
    for (let left = 4 + below(12); left > 0; left--) await command();
    if (background?.isAlive()) await background.kill();
    for (const { account, mode, name } of await world.batches()) await world.resume({ account, mode, name });
    await world.pass(28 * 24);
    for (const { account, mode, name } of await world.batches()) await world.resume({ account, mode, name });
    expect(given.length).toBe(asked);
  }

  async function command(): Promise<void> {
    const choice = random();
    if (choice < 0.12) return wait();
    if (choice < 0.24) return edit();
    if (choice < 0.32) return turnBackground();
    if (choice < 0.37) return single();
    if (choice < 0.41)
      return chance(0.5) ? world.optOut(pick(accounts), phone()) : world.optIn(pick(accounts), phone());
    if (choice < 0.58) return onBatch();
    return send();
  }

  function phone(): string {
    return `+${1 + below(4)}`;
  }

  async function wait(): Promise<void> {
    if (background?.isAlive()) {
      let step;
      do step = await background.step();
      while (background.isAlive() && step !== 'settled' && step !== 'applied');
    }
    await world.pass(pick([0.1, 1, 9, 19, 21, 24, 72, 200, 700]));
  }

  async function edit(): Promise<void> {
    const at = below(files.length);
    const rows = [...(files[at]?.rows ?? [])];
    const row = below(rows.length);
    if (chance(0.5) && rows.length > 0) rows[row] = { ...rows[row], text: pick([...texts, 'v']) };
    else if (chance(0.4)) rows.splice(0, rows.length, ...[1, 2, 3, 4].filter(() => chance(0.6)).map(person));
    else if (chance(0.3)) rows.push({ phone: 'unreadable', order: pick(['x', 'y']), text: pick(texts) });
    else rows.push(person(1 + below(4)));
    files[at] = { name: 'f', rows };
  }

  async function turnBackground(): Promise<void> {
    if (!background?.isAlive()) return;
    if (chance(0.5)) return background.kill();
    while (background.isAlive()) await background.step();
  }

  async function single(): Promise<void> {
    const how = chance(0.1) ? { killAt: 0 } : {};
    await world.sendTemplate({ account: pick(accounts), phone: phone(), text: pick(texts), again: chance(0.1) }, how);
  }

  async function onBatch(): Promise<void> {
    const batches = await world.batches();
    if (batches.length === 0) return;
    const { account, mode, name } = pick(batches);
    const named = { account, mode, name };
    const choice = random();
    const as = chance(0.5) ? ('sent' as const) : ('not sent' as const);
    if (choice < 0.15) await world.mark({ ...named, as });
    else if (choice < 0.3)
      await world.mark({ account, mode, phone: phone(), as, ...(chance(0.3) && { lines: [1, 2] }) });
    else if (choice < 0.45) await world.cancel({ ...named, ...pick([{}, { missing: true }, { person: phone() }]) });
    else if (choice < 0.5) await world.remove(named);
    else await world.resume({ ...named, resend: chance(0.3) ? [pick(['failed', 'unsure'] as const)] : [] });
  }

  async function send(): Promise<void> {
    const isRepeat = last && chance(0.4);
    const options = isRepeat && last ? last : await newOptions();
    last = options;
    const choice = random();
    if (choice < 0.14) await world.sendBatch(options, { killAt: below(12) });
    else if (choice < 0.24) await world.sendBatch(options, { stopAfter: 1 });
    else if (choice < 0.36 && !background?.isAlive()) await begin(options);
    else await world.sendBatch(options);
  }

  async function begin(options: SendOptions): Promise<void> {
    const process = await world.begin(options);
    if (!isProcess(process)) return;
    background = process;
    // The model has decided before its first step, the store decides in it.
    for (let steps = 1 + below(9); steps > 0; steps--) await process.step();
  }

  async function newOptions(): Promise<SendOptions> {
    const options: SendOptions = {
      account: pick(accounts),
      mode: chance(0.1) ? 'sandbox' : 'live',
      kind: chance(0.08) ? 'import' : 'message',
      batch: chance(0.1) ? undefined : pick(['a', 'b', 'c-{date}', 'd']),
      ...(chance(0.12) && { again: true }),
      ...(chance(0.2) && { resend: [pick(['changed', 'failed', 'unsure'] as const)] }),
      ...(chance(0.1) && { excludeFrom: [phone()] }),
      ...(chance(0.07) && { noExcludeFrom: true }),
      ...(chance(0.1) && { first: 1 }),
      ...(chance(0.05) && { atMost: 2 }),
      ...(usesPer && chance(0.7) && { per: 'order' }),
      ...(chance(0.15) && { terminal: pick(['others', 'all', 'nobody'] as const) }),
      ...(chance(0.06) && { where: { order: 'x' } }),
    };
    // The cells of imports are erased once they are created.
    const taken = new Set((await world.rows()).map(({ batch }) => batch));
    const sources = (await world.batches()).filter(({ kind, name }) => kind === 'message' && taken.has(name));
    const isFromBatch = chance(0.05) && sources.length > 0;
    if (!isFromBatch) return { ...options, file: pick(files) };
    return { ...options, fromBatch: `${pick(sources).name}${pick(['', ':failed', ':waiting', ':unsure'])}` };
  }
}

function pickAnswer(random: number): Answer {
  if (random < 0.82) return 'sent';
  if (random < 0.89) return 'failed';
  return random < 0.95 ? 'unsure' : 'unsure, accepted';
}
