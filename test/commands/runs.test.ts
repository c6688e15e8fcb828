import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sign } from '../../src/contract/signature.ts';
import { delivery, logsIn } from '../webhooks/rig.ts';
import { openWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

async function run(text: string, ...words: readonly string[]): Promise<string> {
  const file = join(world.home, 'people.csv');
  writeFileSync(file, text);
  const { stdout } = await world.run(['contacts', 'import', file, '-o', 'json', ...words]);
  return JSON.parse(stdout).run;
}

/** The service refuses tags that are text. */
const three = 'phone,tags\n+12025550141,\n+12025550142,x\n+12025550143,x\n';

describe('runs', () => {
  it('are empty at first', async () => {
    const { code, stdout } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    expect([code, stdout]).toEqual([0, '[]\n']);
    const shown = await world.run(['runs', 'list', '-o', 'table'], { env: {} });
    expect(shown.stdout).toBe('No runs; contacts import and send-batch start them\n');
  });

  it('are listed with their counts, without a key', async () => {
    const stopped = await run(three, '--first', '2');
    const finished = await run('phone,name,tags\n+12025550144,Ada,\n+12025550145,Ada,x\n');
    const { stdout } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    expect(JSON.parse(stdout)).toMatchObject([
      { id: stopped, state: 'unfinished', rows: 3, sent: 1, failed: 1, left: 1, file: join(world.home, 'people.csv') },
      { id: finished, state: 'finished', rows: 2, sent: 1, failed: 1, left: 0, stopped: null },
    ]);
  });

  it('have failed if all rows are settled and none was sent', async () => {
    await run('phone,tags\n+12025550142,x\n+12025550143,x\n');
    const [listed] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'], { env: {} })).stdout);
    expect(listed).toMatchObject({ state: 'failed', sent: 0, failed: 2 });
  });

  it.each([80, 120])('begin with the columns that people look for, at %i columns', async (terminal) => {
    await run(three);
    await run(three, '--again');
    const { stdout } = await world.run(['runs', 'list', '--no-color'], { env: {}, terminal });
    expect(stdout).toMatch(/^id +started\S+ +command +file +sent +failed +state/);
    expect(stdout).toContain('people.csv');
  });

  it('are shown with the line, the outcome and the service id of each row', async () => {
    const id = await run(three);
    const { code, stdout } = await world.run(['runs', 'show', id, '-o', 'json'], { env: {} });
    expect(code).toBe(0);
    const [at, reason] = [expect.stringMatching(/^20/), expect.stringContaining('the service answered 400')];
    expect(JSON.parse(stdout)).toEqual([
      { phone: '+12025550141', tags: '', line: 2, outcome: 'sent', at, id: expect.any(String), reason: null, run: id },
      { phone: '+12025550142', tags: 'x', line: 3, outcome: 'failed', at, id: null, reason, run: id },
      { phone: '+12025550143', tags: 'x', line: 4, outcome: 'failed', at, id: null, reason, run: id },
    ]);
  });

  it('are shown without an id if the latest is meant, or by the name of a job', async () => {
    await run(three, '--job', 'spring');
    await run('phone\n+12025550149\n');
    const lines = async (...words: readonly string[]) =>
      (await world.run(['runs', 'show', ...words, '--columns', 'line', '--no-header'], { env: {} })).stdout;
    expect([await lines(), await lines('spring')]).toEqual(['2\n', '2\n3\n4\n']);
  });

  it('are filtered by outcome, in each format', async () => {
    const id = await run(three);
    const both = await world.run(['runs', 'show', id, '--outcome', 'failed', '--outcome', 'sent', '-o', 'json']);
    expect(JSON.parse(both.stdout)).toHaveLength(3);
    const csv = await world.run(['runs', 'show', id, '--outcome', 'failed', '-o', 'csv'], { env: {} });
    expect(csv.stdout).toMatch(/^\ufeffphone,tags,line,outcome,at,id,reason,run\n(?:\+1\d+,x,\d,failed,[^\n]*\n){2}$/);
    const table = await world.run(['runs', 'show', id.slice(0, 8), '--outcome', 'sent'], { env: {}, terminal: 100 });
    expect(table.stdout).toContain('sent');
    expect(table.stdout).not.toContain('failed');
  });

  it('that were forgotten are not listed, and their rows count as new', async () => {
    const id = await run('phone\n+12025550141\n');
    const { code, stdout } = await world.run(['runs', 'forget', id, '--yes'], { env: {} });
    expect([code, stdout]).toEqual([0, `Forgot run ${id}\n`]);
    expect((await world.run(['runs', 'list', '-o', 'json'], { env: {} })).stdout).toBe('[]\n');
    const again = await world.run(['contacts', 'import', join(world.home, 'people.csv'), '-o', 'json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ sent: 1, continues: false, earlier: [] });
  });

  it('are not forgotten without confirmation', async () => {
    const id = await run(three);
    const refused = await world.run(['runs', 'forget', id], { env: {} });
    expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('--yes')]);
    expect((await world.run(['runs', 'list', '-o', 'id'])).stdout).toBe(`${id}\n`);
  });

  it('that are closed are not continued', async () => {
    const id = await run(three, '--first', '2');
    const { code, stdout } = await world.run(['runs', 'close', id], { env: {} });
    expect([code, stdout]).toEqual([0, `Closed run ${id}; 1 row was not sent\n`]);
    const [listed] = JSON.parse((await world.run(['runs', 'list', '-o', 'json'], { env: {} })).stdout);
    expect(listed).toMatchObject({ id, state: 'closed', left: 0 });
    expect(await run(three)).not.toBe(id);
  });

  it('in a damaged ledger are an error, not an empty list', async () => {
    await run(three);
    writeFileSync(join(world.home, '.local/state/bizmsg/old-ledger.db'), 'x\n'.repeat(999));
    const { code, stdout, stderr } = await world.run(['runs', 'list', '-o', 'json'], { env: {} });
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('is damaged')]);
  });

  it('in an unreadable folder are an error, not an empty list', async () => {
    const state = join(world.home, 'state');
    writeFileSync(state, '');
    const env = { BIZMSG_STATE_DIR: state };
    const { code, stdout, stderr } = await world.run(['runs', 'list', '-o', 'json'], { env });
    expect([code, stdout, stderr]).toEqual([3, '', expect.stringContaining('"code":"state-unreadable"')]);
  });

  it.each(['show', 'forget', 'close'])('%s refuses an unknown id', async (word) => {
    const { code, stdout, stderr } = await world.run(['runs', word, '0123456789', '-o', 'json'], { env: {} });
    expect([code, stdout]).toEqual([5, '']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'run-unknown', message: 'there is no run "0123456789"' });
  });
});

describe('runs show --delivery', () => {
  async function batch(): Promise<string> {
    const file = join(world.home, 'people.csv');
    writeFileSync(file, 'phone\n+12025550141\n+12025550142\n+12025550143\n+12025550144\n12\n');
    const { stdout } = await world.run(['send-batch', 'welcome', file, '-o', 'json', '--concurrency', '1']);
    return JSON.parse(stdout).run;
  }

  it('joins the rows with the messages of the local sandbox', async () => {
    world.sandbox.time.freeze();
    const run = await batch();
    const ids = world.sandbox.messages().map(({ id }) => id);
    world.sandbox.trigger('message.read', { message: ids[0] });
    world.sandbox.trigger('message.failed', { message: ids[1] });
    const { code, stdout } = await world.run(['runs', 'show', run, '--delivery', '-o', 'json']);
    expect([
      code,
      JSON.parse(stdout)
        .map(({ outcome, delivery }: Row) => [outcome, delivery])
        .slice(0, 2),
    ]).toEqual([
      0,
      [
        ['sent', 'read'],
        ['sent', 'failed'],
      ],
    ]);
    expect(JSON.parse(stdout)[4]).toMatchObject({ outcome: 'invalid', delivery: null });
  });

  it('joins them with the events that listeners received, whatever their order', async () => {
    const run = await batch();
    const ids = world.sandbox.messages().map(({ id }) => id);
    world.sandbox.reset('messages');
    const journal = await logsIn(join(world.home, '.local/state/bizmsg'));
    const received = (type: string, data: object) => journal.received(delivery(JSON.stringify({ type, data })));
    await received('message.read', { message_id: ids[0] });
    await received('message.delivered', { message_id: ids[0] });
    await received('message.delivered', { message_id: ids[1] });
    await received('message.read', { message_id: ids[1] });
    await received('message.failed', { message_id: ids[2], error: { code: '131026', message: 'no' } });
    await received('message.read', { message_id: 'msg_other' });
    const { stdout } = await world.run([
      'runs',
      'show',
      run,
      '--delivery',
      '--columns',
      'delivery,reason',
      '--no-header',
    ]);
    expect(stdout.split('\n').slice(0, 4)).toEqual(['read\t', 'read\t', 'failed\t131026: no', 'unknown\t']);
  });

  it('does not believe events without a signature by a known secret', async () => {
    const run = await batch();
    const [id] = world.sandbox.messages().map((one) => one.id);
    world.sandbox.reset('messages');
    const journal = await logsIn(join(world.home, '.local/state/bizmsg'));
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const received = async (type: string, key?: string) => {
      const body = JSON.stringify({ type, data: { message_id: id } });
      const timestamp = Math.floor(Date.now() / 1_000);
      const signature = key === undefined ? 'v1,AAAA' : sign({ id: 'm1', timestamp, body }, key);
      const headers = Object.entries({
        'webhook-id': 'm1',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      });
      await journal.received(delivery(body, { headers: key === 'none' ? [] : headers }));
    };
    await received('message.delivered', secret);
    await received('message.failed');
    await received('message.read', 'none');
    const { stdout, stderr } = await world.run(
      ['runs', 'show', run, '--delivery', '--columns', 'delivery', '--no-header'],
      { env: { BIZMSG_WEBHOOK_SECRET: secret } },
    );
    expect(stdout.split('\n')[0]).toBe('delivered');
    expect(stderr).toContain('2 events without a valid signature do not count');
  });

  it('says that nothing is known, or that contacts are not delivered', async () => {
    const run = await batch();
    world.sandbox.reset('messages');
    expect(await world.run(['runs', 'show', run, '--delivery'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing is known about these messages'),
    });
    const contacts = await world.run(['contacts', 'import', join(world.home, 'people.csv'), '-o', 'json']);
    const shown = await world.run(['runs', 'show', JSON.parse(contacts.stdout).run, '--delivery']);
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining('this run is an import') });
  });
});

interface Row {
  readonly outcome: string;
  readonly delivery: string | null;
}
