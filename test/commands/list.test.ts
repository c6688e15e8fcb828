import { describe, expect, it } from 'vitest';
import { manualClock } from '../../src/sandbox/time/clock.ts';
import { bearing, order, paths, start } from '../sandbox/calls.ts';
import { cli, type CliOptions } from '../support/cli.ts';
import { newHome } from '../support/fake-service.ts';
import { serveLocal } from '../support/local.ts';

async function local() {
  const home = newHome();
  const sandbox = await serveLocal(home, { clock: manualClock(start) });
  const run = (line: string, options: Partial<CliOptions> = {}) => cli(line.split(' '), { home, ...options });
  const send = async (params: readonly string[] = order.params): Promise<string> => {
    const body = JSON.stringify({ ...order, params });
    const headers = bearing(sandbox.keys.sandbox);
    const reply = await sandbox.answer({ method: 'POST', target: paths.send, headers, body });
    return JSON.parse(reply.body).message_id;
  };
  return { sandbox, run, send };
}

describe('a list', () => {
  it('of a sandbox has all records in order, however long it is', async () => {
    const { run, send } = await local();
    const ids = [];
    for (let number = 0; number < 1_020; number++) ids.push(await send());
    const all = ids.join('\n').concat('\n');
    expect((await run('sandbox messages -o id')).stdout).toBe(all);
    expect((await run('sandbox requests --columns message_id --no-header')).stdout).toBe(all);
    const some = (await run('sandbox messages -o id --type accepted --limit 700')).stdout;
    expect(some).toBe(ids.slice(-700).join('\n').concat('\n'));
  });

  it.each([
    ['--since 10m', [1, 2]],
    ['--since 25m', [0, 1, 2]],
    ['--since 2026-05-01T12:05:00Z', [1, 2]],
    ['--since 2027-01-01', []],
  ])('selects with %s, by the clock of the sandbox', async (words, shown) => {
    const { sandbox, run, send } = await local();
    const ids = [await send()];
    for (let more = 0; more < 2; more++) {
      await sandbox.time.advance(10 * 60_000);
      ids.push(await send());
    }
    const { code, stdout } = await run(`sandbox messages -o id ${words}`);
    expect([code, stdout]).toEqual([0, shown.map((at) => `${ids[at]}\n`).join('')]);
  });

  it.each([
    ['send-template', 1],
    ['/api/public/messages', 1],
    ['contacts', 2],
    ['contacts-create', 1],
    ['/api/public', 3],
    ['contacts-list,send-template', 2],
  ])('of requests selects %s', async (words, count) => {
    const { sandbox, run, send } = await local();
    await send();
    const headers = bearing(sandbox.keys.sandbox);
    await sandbox.answer({ method: 'GET', target: `${paths.contacts}?limit=1`, headers, body: '' });
    await sandbox.answer({ method: 'POST', target: paths.contacts, headers, body: '{"phone":"+12025550142"}' });
    await sandbox.answer({ method: 'GET', target: '/elsewhere', headers, body: '' });
    const { stdout } = await run(`sandbox requests --no-header --type ${words}`);
    expect(stdout.split('\n').length - 1).toBe(count);
  });

  it.each([
    ['webhooks history --since soon', '--since: "soon" is not a time'],
    ['sandbox requests --type contact', '--type: "contact" is neither an endpoint nor a path; did you mean contacts?'],
    ['sandbox endpoints deliveries --type order.piad', 'did you mean order.paid?'],
    ['sandbox requests --bytes --follow', '--bytes excludes --follow'],
    ['webhooks history --follow -o json', '--follow excludes -o json'],
  ])('%s is exit 2', async (line, reason) => {
    const { run } = await local();
    const { code, stdout, stderr } = await run(line);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.replace('\n  ', '; ')).toContain(reason);
  });
});

describe('a followed list', () => {
  const ended = { signal: AbortSignal.abort('SIGINT') };

  it.each([
    ['-o ndjson', '', (id: string) => `{"id":"${id}"}`],
    ['-o csv', 'id\n', (id: string) => id],
    ['-o tsv', 'id\n', (id: string) => id],
    ['-o tsv --no-header', '', (id: string) => id],
    ['-o table', '', (id: string) => id],
  ])('begins with the 10 newest: %s', async (format, header, line) => {
    const { run, send } = await local();
    const ids = [];
    for (let number = 0; number < 12; number++) ids.push(await send());
    const { code, stdout } = await run(`sandbox messages --follow --columns id ${format}`, ended);
    const lines = ids.slice(2).map((id) => `${line(id)}\n`);
    expect([code, stdout]).toEqual([0, header + lines.join('')]);
  });

  it('has the usual columns on a terminal, without control characters', async () => {
    const { run, send } = await local();
    const id = await send(['\u001b[31mAda', 'A']);
    const { stdout } = await run('sandbox messages --follow --no-color', { ...ended, terminal: 200 });
    expect(stdout).toMatch(new RegExp(`^\\S+  \\+12025550142  accepted  Hello Ada.*  ${id}  order_update\n$`));
  });

  it('of nothing prints nothing', async () => {
    const { code, stdout, stderr } = await cli(['webhooks', 'history', '-f'], { home: newHome(), ...ended });
    expect([code, stdout, stderr]).toEqual([0, '', '']);
  });
});
