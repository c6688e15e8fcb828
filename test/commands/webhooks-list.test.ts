import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newHome } from '../support/fake-service.ts';
import { cli } from '../support/cli.ts';
import { noteCodes } from '../support/json-lines.ts';
import { logsIn } from '../webhooks/rig.ts';
import { listener, rows } from './webhooks-rig.ts';

const read = '{"type":"message.read","data":{"message_id":"msg_1","to":"+12025550101"}}';
const failed = '{"type":"message.failed","data":{"message_id":"msg_2","error":{"code":"131026","message":"no"}}}';
const minute = 60_000;

describe('webhooks list', () => {
  it('lists events newest last, with subject and response of the handler', async () => {
    const { send, journal, run } = await listener();
    const ids = [await send(read), await send(failed), await send('no json')] as const;
    const url = 'http://127.0.0.1:3000/';
    await journal.forwarded({ event: ids[0], url, ms: 1, error: 'connection refused' });
    await journal.forwarded({ event: ids[0], url, ms: 1, status: 200 });
    await journal.forwarded({ event: ids[1], url, ms: 1, status: 500 });
    const { code, stdout, stderr } = await run('webhooks list');
    expect([code, stderr]).toEqual([0, '']);
    expect(rows(stdout).map(([id, , ...rest]) => [id, ...rest])).toEqual([
      [ids[0], 'message.read', 'msg_1', '+12025550101', '', '200', ''],
      [ids[1], 'message.failed', 'msg_2', '', '131026: no', '500', ''],
      [ids[2], '', '', '', '', '', ''],
    ]);
  });

  it.each([
    ['--limit 1', ['3']],
    ['--limit 0', []],
    ['--since 90s', ['3']],
    ['--since 5m', ['1', '2', '3']],
    ['--type message.read', ['1']],
    ['--type message', ['1', '3']],
    ['--failed', ['1', '2']],
    ['--failed --type message --limit 5', ['1']],
  ])('filters by %s', async (words, expected) => {
    const start = Date.now() - 4 * minute;
    let now = start;
    const { send, journal, run } = await listener(() => now);
    const bodies = ['{"type":"message.read","n":"1"}', '{"data":{"n":2},"n":"2"}', '{"type":"message.sent","n":"3"}'];
    const ids: string[] = [];
    for (const body of bodies) {
      ids.push(await send(body));
      now += 1.5 * minute;
    }
    for (const [at, answer] of [{ error: 'connection refused' }, { status: 404 }, { status: 204 }].entries())
      await journal.forwarded({ event: ids[at] ?? '', url: 'http://127.0.0.1:1/', ms: 1, ...answer });
    const { code, stdout } = await run(`webhooks list ${words} -o id`);
    expect([code, stdout]).toEqual([0, expected.map((n) => `${ids[Number(n) - 1]}\n`).join('')]);
  });

  it('reports that there are no events, and ends with 0', async () => {
    const { code, stdout } = await cli(['webhooks', 'list'], { home: newHome(), terminal: 80 });
    expect([code, stdout]).toEqual([0, 'No events yet: bizmsg webhooks listen receives them\n']);
  });

  it('--failed says that none failed', async () => {
    const { send, run } = await listener();
    await send(read);
    const { stdout } = await run('webhooks list --failed', { terminal: 80 });
    expect(stdout).toBe('No such event failed; bizmsg webhooks list shows all\n');
  });

  it.each([
    ['--type mesage', 'did you mean message?'],
    ['--clear --failed', '--clear excludes --failed'],
    ['--clear --limit 3', '--clear excludes --limit'],
    ['--since yesterday', 'or a time such as 2026-05-01T14:30'],
    ['--follow -o json', '--follow excludes -o json'],
  ])('with %s ends with 2', async (words, reason) => {
    const { run } = await listener();
    const { code, stdout, stderr } = await run(`webhooks list ${words}`);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
  });
});

it('webhooks list --follow of nothing prints nothing', async () => {
  const signal = AbortSignal.abort('SIGINT');
  expect(await cli(['webhooks', 'list', '-f'], { home: newHome(), signal })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

describe('webhooks list --clear', () => {
  it('deletes all events, after a question', async () => {
    const { send, run } = await listener();
    for (const body of ['1', '2']) await send(body);
    const refused = await run('webhooks list --clear');
    expect([refused.code, refused.stderr]).toEqual([11, expect.stringContaining('Delete 2 recorded events?')]);
    expect((await run('webhooks list --clear --yes --no-color', { terminal: 80 })).stdout).toBe('Deleted events: 2\n');
    expect((await run('webhooks list -o id')).stdout).toBe('');
    expect(await send('3')).toBe('e3');
  });

  it('leaves nothing of the events in the file', async () => {
    const { send, stateFolder, run } = await listener();
    await send('{"type":"message.received","text":"a secret text"}');
    await run('webhooks list --clear --yes');
    expect(readFileSync(join(stateFolder, 'logs.db')).includes('a secret text')).toBe(false);
  });

  it('reports that there is nothing to delete, and creates nothing', async () => {
    const home = newHome();
    const { code, stdout } = await cli(['webhooks', 'list', '--clear'], { home, terminal: 80 });
    expect([code, stdout]).toEqual([0, 'Nothing to delete\n']);
    expect(existsSync(join(home, '.local/state/bizmsg/logs.db'))).toBe(false);
  });
});

it('history of damaged logs is empty, with a note that says where the damaged file is', async () => {
  const { send, close, run, stateFolder } = await listener();
  await send('1');
  await close();
  const path = join(stateFolder, 'logs.db');
  writeFileSync(path, 'not a database, but long enough to look like one');
  const { code, stdout, stderr } = await run('webhooks list -o json');
  const aside = readdirSync(stateFolder).find((name) => name.startsWith('logs.db.damaged-'));
  expect([code, stdout, noteCodes(stderr)]).toEqual([0, '[]\n', ['logs']]);
  expect(stderr).toContain(`${path} was damaged and starts again; the damaged file is now ${stateFolder}/${aside}`);
});

it('events of a newer bizmsg are not read', async () => {
  const home = newHome();
  const { logs } = await logsIn(join(home, '.local/state/bizmsg'));
  await logs.write(function* () {
    yield { sql: 'PRAGMA user_version = 99', values: [] };
  });
  const { code, stderr } = await cli(['webhooks', 'list'], { home });
  expect([code, stderr]).toEqual([3, expect.stringContaining('a newer bizmsg wrote')]);
});
