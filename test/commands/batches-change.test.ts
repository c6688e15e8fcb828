import { describe, expect, it } from 'vitest';
import { query } from '../../src/base/transaction.ts';
import { workerName } from '../../src/base/worker.ts';
import { alive } from '../support/cli.ts';
import {
  batchMachine,
  type BatchOptions,
  friday,
  machineWith,
  makeBatch,
  type Person,
  sent,
  silent,
} from './batches-rig.ts';

const now = () => friday + 60_000;
const [ada, grace, edsger] = ['+491701000001', '+491701000002', '+491701000003'];
const people: readonly Person[] = [
  { phone: ada, answer: sent },
  { phone: grace, answer: silent },
  { phone: edsger, answer: silent },
  { phone: '+491701000004' },
];

/** A machine with a batch, and what becomes of its rows. */
async function withBatch(rows = people, options: BatchOptions = {}) {
  const machine = await machineWith(rows, options);
  const { ledger, batch } = machine;
  const states = async () => {
    const all = await ledger.read(() => query('SELECT state FROM item WHERE batch = $1 ORDER BY n', batch.id));
    return all.map(({ state }) => state).join(', ');
  };
  return {
    ...machine,
    states,
    run: (line: string, options = {}) => machine.run(line, { now, ...options }),
  };
}

describe('batches mark', () => {
  const resume = 'bizmsg batches resume autumn sends them';
  const not = 'Marked as not sent: 1 row';

  it.each([
    ['autumn --sent', 'Marked as sent: 2 rows of autumn', 'sent, sent, sent, waiting'],
    ['autumn --not-sent --rows 3', `Marked as not sent: 1 row of autumn; ${resume}`, 'sent, unsure, waiting, waiting'],
    ['AUTUMN --sent --rows 1-2,4', 'Marked as sent: 1 row of autumn', 'sent, sent, unsure, waiting'],
    ['autumn --sent --rows 1', 'No row of autumn is unsure', 'sent, unsure, unsure, waiting'],
    [`${grace} --sent`, `Marked as sent: 1 row to ${grace}`, 'sent, sent, unsure, waiting'],
    [`${grace.replace('+49', '0')} --country DE --not-sent`, `${not} to ${grace}`, 'sent, waiting, unsure, waiting'],
  ])('%s', async (words, said, became) => {
    const { run, states } = await withBatch();
    const { code, stdout } = await run(`batches mark ${words}`);
    expect([code, stdout, await states()]).toEqual([0, `${said}\n`, became]);
  });

  it('needs the numbers of several rows of a person', async () => {
    const orders = ['1', '2'].map((order) => ({ phone: ada, order, answer: silent }));
    const { run, states } = await withBatch(orders, { per: 'order' });
    const stderr = `error: ${ada} has 2 unsure rows in autumn\n  name some of them: --rows 1,2\n`;
    expect(await run(`batches mark ${ada} --sent`)).toMatchObject({ code: 2, stderr });
    await run(`batches mark ${ada} --sent --rows 2`);
    expect(await states()).toBe('unsure, sent');
  });

  it.each([
    ['mark autumn', 'give --sent or --not-sent'],
    ['mark autumn --sent --not-sent', 'give --sent or --not-sent'],
    ['mark autumn --sent --rows x', '--rows: "x" is not a number or a range'],
    ['mark autumn --sent --rows 3-1', 'is not a number or a range'],
    ['mark autumn --sent --rows 1,,2', 'is not a number or a range'],
    ['mark 01701000002 --sent', 'is not a phone number'],
    [`cancel autumn --missing --person ${ada}`, 'give either --missing or --person'],
  ])('%s is refused', async (words, why) => {
    const { run } = await withBatch();
    expect(await run(`batches ${words}`)).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
  });
});

describe('batches cancel', () => {
  const rows = [{ phone: ada, answer: sent }, { phone: grace }, { phone: edsger }];

  it.each([
    ['autumn', 'Cancelled autumn: 2 rows are', 'sent, cancelled, cancelled'],
    [`autumn --person ${edsger}`, 'Dropped from autumn: 1 row is', 'sent, waiting, cancelled'],
    ['autumn --person 01701000002 --country Germany', 'Dropped from autumn: 1 row is', 'sent, cancelled, waiting'],
  ])('%s', async (words, said, became) => {
    const { run, states } = await withBatch(rows);
    const { code, stdout } = await run(`batches cancel ${words}`);
    expect([code, stdout, await states()]).toEqual([0, `${said} not sent\n`, became]);
  });

  it('drops what is missing in the latest file', async () => {
    const { run, states, ledger, batch } = await withBatch(rows);
    await makeBatch(ledger, [{ phone: grace }], { target: batch });
    expect((await run('batches cancel autumn --missing')).stdout).toBe('Dropped from autumn: 1 row is not sent\n');
    expect(await states()).toBe('sent, waiting, cancelled');
  });
});

describe('batches delete', () => {
  it('asks first, and says who could get it again', async () => {
    const { run } = await withBatch();
    const question = 'Delete batch autumn (live blumen) with 4 rows?';
    const why = 'Then the 1 it reached and 2 unsure could get sale again.';
    const stderr = `error: this needs confirmation: ${question} ${why}\n  nothing was done; add --yes to confirm\n`;
    expect(await run('batches delete autumn')).toMatchObject({ code: 11, stderr });
  });

  it('deletes a batch with all its rows', async () => {
    const { run, ledger } = await withBatch();
    expect(await run('batches delete autumn --yes')).toMatchObject({ code: 0, stdout: 'Deleted autumn: 4 rows\n' });
    expect(await ledger.read(() => query('SELECT n FROM item'))).toEqual([]);
    expect(await run('batches delete autumn --yes')).toMatchObject({ code: 5 });
  });
});

describe('a process that works on a batch', () => {
  const worker = workerName({ pid: process.pid, random: Math.random });
  const elsewhere = '4711:1@a.1.laptop-2:00000001';

  const changes = ['mark autumn --sent', `mark ${grace} --sent`, 'delete autumn --yes'];

  it.each(changes)('refuses %s', async (words) => {
    const { run } = await withBatch(people, { worker: elsewhere });
    const stderr: unknown = expect.stringMatching(/^error: process 4711 on laptop-2 works on autumn\n/);
    expect(await run(`batches ${words}`)).toMatchObject({ code: 11, stderr });
  });

  it('is stopped by cancel, which only waits for its load', async () => {
    const { run, ledger } = await withBatch(people, { worker: elsewhere });
    await ledger.write(() => query('UPDATE batch SET loading = 1'));
    const stderr: unknown = expect.stringContaining('loads autumn');
    expect(await run('batches cancel autumn')).toMatchObject({ code: 11, stderr });
    await ledger.write(() => query('UPDATE batch SET loading = 0'));
    expect(await run('batches cancel autumn')).toMatchObject({ code: 0 });
  });

  it.each(changes)('is replaced immediately if it is gone, by %s', async (words) => {
    const { run, batch } = await withBatch(people, { worker });
    expect(batch.worker).toBe(worker);
    const kill = (pid: number) => pid !== process.pid && alive(pid);
    expect(await run(`batches ${words}`, { kill })).toMatchObject({ code: 0 });
  });
});

describe('the name of a batch', () => {
  /** The same name in four places; only the first is of the caller. */
  async function withFour() {
    const machine = await batchMachine();
    const [ledger, simulated] = [await machine.open('ledger'), await machine.open('local')];
    const first = await makeBatch(ledger, people);
    await makeBatch(ledger, people, { scope: { mode: 'sandbox' }, at: friday + 1 });
    await makeBatch(ledger, people, { scope: { account: 'other' }, at: friday + 2 });
    await makeBatch(simulated, people.slice(0, 3), {
      scope: { account: 'sandbox:1', mode: 'sandbox' },
      at: friday + 3,
    });
    const rows = async (words: string) => {
      const line = `batches report${words} --columns bizmsg_row --no-header`;
      const { code, stdout, stderr } = await machine.run(line, { now });
      return code === 0 ? stdout.split('-')[0] : stderr;
    };
    return { ...machine, first, ledger, rows };
  }

  it('means the one of the account and mode in use', async () => {
    const { rows, first } = await withFour();
    for (const words of [' autumn', '', ` ${first.id}`, ` ${first.id.toUpperCase()}`])
      expect(await rows(words)).toBe(first.id);
  });

  it('means that of the local sandbox with its profile', async () => {
    const { json } = await withFour();
    expect(await json('batches report autumn --profile local', { now })).toHaveLength(3);
  });

  it('may be that of another account to read it, if only that has it', async () => {
    const { rows, ledger } = await withFour();
    const other = await makeBatch(ledger, people, { name: 'winter', scope: { account: 'other' } });
    expect(await rows(' winter')).toBe(other.id);
  });

  it('needs an id to read one of several others', async () => {
    const { rows, ledger } = await withFour();
    for (const account of ['b', 'c']) await makeBatch(ledger, people, { name: 'winter', scope: { account } });
    expect(await rows(' winter')).toMatch(
      /^error: "winter" is 2 batches\n {2}name one by its id: \w{12} \(winter, live, b\), /,
    );
  });

  it.each(['mark NAME --sent', 'cancel NAME', 'delete NAME --yes'])('must be of the caller for %s', async (words) => {
    const { run, ledger } = await withFour();
    const other = await makeBatch(ledger, people, { name: 'winter', scope: { mode: 'sandbox' } });
    const why = 'batch winter is of blumen (sandbox), which is not the account and mode in use';
    const stderr = `error: ${why}\n  name it by its id: ${other.id}\n`;
    expect(await run(`batches ${words.replace('NAME', 'winter')}`, { now })).toMatchObject({ code: 2, stderr });
    expect(await run(`batches ${words.replace('NAME', other.id)}`, { now })).toMatchObject({ code: 0 });
  });

  it('is suggested', async () => {
    const { run } = await withFour();
    const stderr = 'error: there is no batch "autum"\n  did you mean autumn?\n';
    expect(await run('batches report autum', { now })).toMatchObject({ code: 5, stderr });
  });
});

it.each([
  ['ended', ''],
  ['was killed just now', workerName({ pid: 2 ** 22 + 1, random: Math.random })],
])('batches resume refuses a batch whose load was cut off by a process that %s', async (_, worker) => {
  const { run, ledger } = await withBatch(people, worker === '' ? {} : { worker });
  await ledger.write(() => query(`UPDATE batch SET loading = 1, command = '["send-batch","sale","people.csv"]'`));
  const stderr: unknown = expect.stringContaining('repeat: bizmsg send-batch sale people.csv');
  expect(await run('batches resume autumn --at-most 9')).toMatchObject({ code: 11, stderr });
});
