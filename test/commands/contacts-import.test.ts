import { lstatSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

function file(text: string, name = 'people.csv'): string {
  const path = join(world.home, name);
  writeFileSync(path, text);
  return path;
}

const importing = (text: string, ...words: readonly string[]) =>
  world.run(['contacts', 'import', file(text), ...words]);

describe('contacts import', () => {
  it('creates a contact for every row', async () => {
    const { code, stdout } = await importing('phone,name\n+12025550141,Ada\n+12025550142,\n');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Done \(simulated\): 2 of 2 rows sent in [\d.]+ m?s\n$/),
    ]);
    expect(world.sandbox.contacts().slice(5)).toMatchObject([
      { phone: '+12025550141', name: 'Ada' },
      { phone: '+12025550142', name: undefined },
    ]);
  });

  it('maps, drops, sets and converts', async () => {
    const text = 'Mobile,Full Name,tags,note\n(202) 555-0141,Ada,a;b,x\n';
    const words = ['--map', 'Mobile=phone', '--map', 'Full Name=name', '--drop', 'note', '--split', 'tags=semicolon'];
    const more = ['--set', 'attributes.source=crm', '--phone', 'phone', '--country', 'US'];
    expect((await importing(text, ...words, ...more)).code).toBe(0);
    const ada = { phone: '+12025550141', name: 'Ada', tags: ['a', 'b'], attributes: { source: 'crm' } };
    expect(world.sandbox.contacts().at(-1)).toMatchObject(ada);
  });

  it.each([
    ['a missing file', ['none.csv'], 'there is no such file'],
    ['a file of nearly that name', ['NEAR'], 'did you mean'],
    ['a column that it has not', ['FILE', '--map', 'mobil=phone'], 'mobil'],
    ['--rate with --no-pace', ['FILE', '--rate', '5/s', '--no-pace'], '--no-pace'],
    ['none at once', ['FILE', '--concurrency', '0'], '--concurrency: "0" is too small'],
    ['a share of an unknown plan', ['FILE', '--rate', '50%'], 'the plan is not known'],
  ])('refuses %s, and sends nothing', async (_, words, said) => {
    const path = file('phone\n+12025550141\n');
    const { code, stdout, stderr } = await world.run([
      'contacts',
      'import',
      ...words.map((word) => (word === 'FILE' ? path : word === 'NEAR' ? path.replace('people', 'peple') : word)),
    ]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
    expect(world.sandbox.requests()).toEqual([]);
  });

  it("uses 90 % of the plan's rate limit, and prints the estimated duration", async () => {
    world.sandbox.setPlan({ name: 'starter', perMinute: undefined, perMonth: undefined, without: [] });
    const env = { ...world.env };
    await world.bin(
      ['profiles', 'add', 'acme', '--base-url', world.url, '--key-stdin', '--plan', 'growth'],
      {},
      env.BIZMSG_API_KEY,
    );
    const rows = Array.from({ length: 1_000 }, (_, at) => `+1202${5_000_000 + at}\n`).join('');
    const words = ['contacts', 'import', file(`phone\n${rows}`), '--profile', 'acme', '--dry-run', '-o', 'json'];
    const { code, stdout } = await world.run(words, { env: {} });
    const rehearsal = { ready: 1_000, pace: { requests: 270, window_seconds: 60 }, least_seconds: 180, month: null };
    expect([code, JSON.parse(stdout)]).toMatchObject([0, rehearsal]);
  });
});

it('refuses a key in --set, and does not store one from a file name', async () => {
  const key = 'sk_live_0123456789abcdef';
  const path = file('phone\n+12025550141\n', `${key}.csv`);
  const set = await world.run(['contacts', 'import', path, '--set', `tok=${key}`]);
  expect([set.code, set.stderr]).toEqual([
    2,
    expect.stringContaining('"tok=sk_live_…cdef" contains something that looks like a key'),
  ]);
  await world.run(['contacts', 'import', path]);
  const folder = join(world.home, '.local/state/bizmsg');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const holding = files.filter(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1').includes(key));
  expect(files.length).toBeGreaterThan(3);
  expect(holding.map(({ name }) => name)).toEqual([]);
});

it('continues a run through any link to its file, and does not change the link', async () => {
  const path = file('phone\n12\n+12025550141\n');
  symlinkSync(path, join(world.home, 'link.csv'));
  const words = ['--concurrency', '1', '-o', 'json'];
  const link = join(world.home, 'link.csv');
  const first = await world.run(['contacts', 'import', link, ...words, '--max-errors', '1']);
  const second = await world.run(['contacts', 'import', path, ...words]);
  expect([JSON.parse(first.stdout), JSON.parse(second.stdout)]).toMatchObject([
    { not_reached: 1, files: { failed: join(world.home, 'link.failed.csv') } },
    { continues: true, not_reached: 0, sent: 1, failed: 1 },
  ]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
});

describe('a dry run of contacts import', () => {
  it('shows bad rows, repeated rows, and values that a spreadsheet may have damaged', async () => {
    const text =
      'phone,name,id\n+12025550141,Ada,7\n1.20256E+10,Alan,8\n+12025550141,Ada,7\n+12025550143,B,x\n12025550142,B,2.5E+11\n';
    const { code, stdout } = await importing(text, '--number', 'id', '--dry-run', '-o', 'table');
    expect([code, world.sandbox.requests()]).toEqual([10, []]);
    expect(stdout).toBe(
      [
        '3 of 5 rows would be sent; nothing was sent',
        'the first body: {"phone":"+12025550141","name":"Ada","id":7}',
        '1 cannot be sent:',
        '  line 5: id: "x" is not a number',
        '2 look damaged, and are not repaired:',
        '  line 3: phone: "1.20256E+10": a spreadsheet made it scientific notation, so digits are lost: format the column as text first',
        '  line 6: phone: "12025550142": its "+" is missing, and perhaps its country code: format the column as text first',
        '1 row repeats an earlier row and is skipped:',
        '  line 4: the same as line 2',
        'no plan is known, so requests are not paced; --rate limits them',
        '',
      ].join('\n'),
    );
  });

  it('counts a damaged row once if it is repeated', async () => {
    const { stdout } = await importing('phone\n1.2E+10\n1.2E+10\n', '--dry-run', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ suspect: 1, repeated: 1 });
  });

  it('does not report damage in a dropped column, or in numbers that are not phones', async () => {
    const text = 'phone,old,amount\n+12025550141,1.2E+10,12345678\n';
    const { code, stdout } = await importing(text, '--drop', 'old', '--dry-run', '-o', 'json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { type: 'rehearsal', ready: 1, suspect: 0 }]);
  });
});

describe('a damaged phone in contacts import', () => {
  const text = 'phone,name\n1.20256E+10,Ada\n+12025550\u0000141,Bo\n+12025550143,Cy\n';

  it.each([[[]], [['--dry-run', '-o', 'json']]])('makes a bad row if --phone names its column: %j', async (words) => {
    const { code, stdout } = await importing(text, '--phone', 'phone', ...words);
    expect([code, world.sandbox.contacts().slice(5).length]).toEqual([10, words.length > 0 ? 0 : 1]);
    expect(stdout).toMatch(/1\.20256E\+10.{1,4} is not a phone number: a spreadsheet made it scientific notation/);
    expect(stdout).toMatch(/u0000141.{1,4} is not a phone number: it holds a NUL character/);
  });

  it('is noted and sent unchanged in other columns', async () => {
    const other = 'phone,mobile\n+12025550141,1.20256E+10\n+12025550142,+12025550\u0000141\n';
    const { code, stderr } = await importing(other);
    expect([code, world.sandbox.contacts().slice(5).length]).toEqual([0, 2]);
    expect(stderr).toContain(
      'note: 2 rows look damaged, and are not repaired; the first, on line 2: mobile: "1.20256E+10": a spreadsheet',
    );
    expect(stderr).toContain('--dry-run lists them');
  });

  it('is noted by line in the dry run', async () => {
    const { stdout } = await importing(text, '--dry-run', '-o', 'table');
    expect(stdout).toContain('2 look damaged, and are not repaired:\n  line 2: phone: "1.20256E+10": ');
    expect(stdout).toContain('\n  line 3: phone: "+12025550\\u0000141": it holds a NUL character');
  });
});

it('contacts import refuses a JSON row with a number that JSON cannot represent, and sends the others', async () => {
  const path = join(world.home, 'numbers.json');
  writeFileSync(path, '[{"phone":"+12025550141","score":1e400},{"phone":"+12025550142","score":1}]');
  const { code, stdout } = await world.run(['contacts', 'import', path]);
  expect([code, world.sandbox.contacts().slice(5).length]).toEqual([10, 1]);
  expect(stdout).toContain('the number 1e400 is too large');
});

it('recognizes rows of a job in another order, although their hotel is the same', async () => {
  const rows = ['Hilton,+12025550141', 'Hilton,+12025550142'];
  const words = ['--job', 'guests', '-o', 'json'];
  await importing(`hotel,phone\n${rows.join('\n')}\n`, ...words);
  const again = await importing(`hotel,phone\n${rows.reverse().join('\n')}\n`, ...words);
  expect(JSON.parse(again.stdout)).toMatchObject({ sent: 0, skipped: { this_run: 2 } });
});

it('recognizes a phone by its name and value', async () => {
  const { stderr } = await importing('hotel,phone_type,workTel\nHilton,home,+12025550141\n', '--dry-run');
  expect(stderr).toContain('--phone workTel checks them');
});

it.each([[['--country', 'US']], [['--normalise', '--country', 'US']]])(
  'normalizes the field phone with %j alone',
  async (words) => {
    expect((await importing('phone,name\n(202) 555-0141,Ada\n', ...words)).code).toBe(0);
    expect(world.sandbox.contacts().at(-1)).toMatchObject({ phone: '+12025550141' });
  },
);

it('names --phone if --country is given and no field is named phone', async () => {
  const { code, stderr } = await importing('Mobile\n(202) 555-0141\n', '--country', 'US');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--phone')]);
});

it('notes that a file of failed rows is not needed once its rows were sent', async () => {
  await importing('phone\n+12025550141\n12\n');
  const failed = join(world.home, 'people.failed.csv');
  const before = await world.run(['contacts', 'import', failed]);
  writeFileSync(failed, readFileSync(failed, 'utf8').replace(/^12,/m, '+12025550142,'));
  const { code, stderr } = await world.run(['contacts', 'import', failed]);
  expect([before.stderr.includes('not needed'), code]).toEqual([false, 0]);
  expect(stderr).toContain(`${failed} is not needed any more: all its rows are sent`);
});

it('names the same file of failed rows if another run has the same ones', async () => {
  const text = 'phone,name\n+12025550141,Ada\nfoo,Bar\n';
  const summaries = [await importing(text, '-o', 'json'), await importing(text, '-o', 'json')];
  const failed = summaries.map(({ stdout }): unknown => JSON.parse(stdout).files.failed);
  expect(failed).toEqual([join(world.home, 'people.failed.csv'), join(world.home, 'people.failed.csv')]);
  expect(readdirSync(world.home).filter((name) => name.includes('failed'))).toEqual(['people.failed.csv']);
});
