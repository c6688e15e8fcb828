import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { announceListener } from '../../src/webhooks/listeners.ts';
import { receiver } from '../sandbox/receiver.ts';
import { noteCodes } from '../support/json-lines.ts';
import { delivery, logIn } from '../webhooks/rig.ts';
import { listener, type Listener } from './webhooks-rig.ts';

const bodies = ['one', 'two', 'three'].map((name) => `{"type":"order.paid","name":"${name}"}`);

/** A journal of three events, whose lines with these texts are damaged. */
async function damaged(...texts: readonly string[]) {
  const opened = await listener();
  const ids: string[] = [];
  for (const body of bodies) ids.push(await opened.send(body));
  const [one = '', two = '', three = ''] = ids;
  const { path, at } = damage(opened, texts);
  return {
    ...opened,
    one,
    two,
    three,
    path,
    note: `note: ${path} is damaged: the line at byte ${at} has a wrong checksum`,
  };
}

/** Changes a character in each of these lines; returns the offset of the first one. */
function damage({ stateFolder }: Pick<Listener, 'stateFolder'>, texts: readonly string[]) {
  const events = join(stateFolder, 'events');
  const path = join(events, readdirSync(events).find((name) => name.endsWith('.ndjson')) ?? '');
  const bytes = readFileSync(path);
  const places = texts.map((text) => bytes.indexOf(text));
  for (const place of places) bytes.write('#', place);
  writeFileSync(path, bytes);
  return { path, at: bytes.lastIndexOf('\n', Math.min(...places)) + 1 };
}

const header = 'bizmsg events';
const owner = '"listener"';
const second = 'two';

describe('a journal with a damaged line', () => {
  it.each([[[second]], [[header]], [[owner]], [[header, owner, second]]])(
    'shows the rest, and reports the line once: %j',
    async (texts) => {
      const { one, three, two, run, note } = await damaged(...texts);
      const left = texts.includes(second) ? [one, three] : [one, two, three];
      const { code, stdout, stderr } = await run('webhooks history -o id');
      expect([code, stdout]).toEqual([0, left.map((id) => `${id}\n`).join('')]);
      expect(stderr).toBe(`${note}, and is skipped\n`);
    },
  );

  it('does not hide events of other journals', async () => {
    const { stateFolder, one, three, run, note } = await damaged(second);
    const { id } = logIn(stateFolder).received(delivery());
    const { code, stdout, stderr } = await run('webhooks history -o id');
    expect([code, stdout.split('\n').sort()]).toEqual([0, ['', one, three, id].sort()]);
    expect(stderr).toBe(`${note}, and is skipped\n`);
  });

  it('causes no warning if the damaged line is not read', async () => {
    const { three, run } = await damaged('one\\"');
    expect(await run('webhooks history --limit 1 -o id')).toEqual({ code: 0, stdout: `${three}\n`, stderr: '' });
  });

  it('shows, verifies and replays the other events', async () => {
    const handler = await receiver();
    const { one, three, run, note } = await damaged(second);
    const shown = await run(`webhooks show ${one} --raw -`);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('"one"')]);
    const checked = await run(`webhooks verify ${one}`);
    expect([checked.code, checked.stdout]).toEqual([12, expect.stringContaining('unsigned')]);
    const replayed = await run(`webhooks replay ${one} ${three} --to ${handler.url}`);
    expect([replayed.code, handler.received.map(({ body }) => body)]).toEqual([0, [bodies[0], bodies[2]]]);
    for (const { stderr } of [shown, checked, replayed]) expect(stderr).toBe(`${note}, and is skipped\n`);
  });

  it('does not find the event of the damaged line by its id', async () => {
    const { two, run, note } = await damaged(second);
    const { code, stderr } = await run(`webhooks show ${two}`);
    expect([code, stderr]).toEqual([5, expect.stringContaining(`${note}, and is skipped\nerror: there is no event`)]);
  });

  it.each([[header], [second], ['three']])('does not stop later events from arriving: %s', async (text) => {
    const { stateFolder, journal, run } = await damaged(text);
    const locator = { url: 'http://127.0.0.1:4781/', port: 4781, pid: process.pid, startedAt: Date.now() };
    onTestFinished(announceListener(stateFolder, locator));
    const running = run('webhooks expect order.paid --within 1h -- true');
    const delivering = setInterval(() => journal.received(delivery('{"type":"order.paid"}')), 5);
    onTestFinished(() => clearInterval(delivering));
    expect((await running).code).toBe(0);
  });

  it('is reported as an object with -o json', async () => {
    const { run } = await damaged(second);
    expect(noteCodes((await run('webhooks history -o json')).stderr)).toEqual(['journal-damaged']);
  });
});
