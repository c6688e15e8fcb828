import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStateFile, type StateFile } from '../../../src/sandbox/state/file.ts';
import { later } from '../../support/cli.ts';
import { newHome } from '../../support/fake-service.ts';
import { manualTimers } from '../../support/timers.ts';
import { calls, order, paths } from '../calls.ts';
import { receiver } from '../receiver.ts';

function newFolder() {
  const folder = newHome();
  const warnings: string[] = [];
  const open = (isOurs = () => true, timer = later): StateFile => {
    const host = { pid: process.pid, now: Date.now, later: timer };
    return openStateFile(folder, { host, isOurs, warn: (text) => warnings.push(text) });
  };
  return { path: join(folder, 'state.json'), names: () => readdirSync(folder), warnings, open };
}

describe('the file of a sandbox', () => {
  it('has everything that the next one continues with', async () => {
    const { open } = newFolder();
    const file = open();
    const { sandbox, post } = calls({ file, plan: 'growth' });
    const { url } = await receiver((response) => response.writeHead(500).end());
    sandbox.webhooks.add({ url, secret: sandbox.secret() });
    sandbox.faults.add({ on: ['message.read'], effect: { kind: 'duplicate' }, times: 3 });
    sandbox.keys.revoke(sandbox.keys.create('read-only').id);
    sandbox.webhooks.rotate();
    sandbox.keys.goLive();
    sandbox.trigger('message.received', { text: '"\\\u2028😀' });
    await post(
      paths.contacts,
      { phone: '+1202', attributes: { big: 1 } },
      { body: '{"phone":"+1203","attributes":{"n":12345678901234567890}}' },
    );
    await post(paths.send, order);
    await sandbox.time.advance(5_000);
    sandbox.close();
    await file.close();

    const again = calls({ file: open() }).sandbox;
    const logs = ['events', 'requests', 'messages', 'deliveries', 'cursors', 'counts'] as const;
    const others = ['plan', 'contacts', 'templates', 'campaigns', 'secret', 'secrets', 'dataId'] as const;
    for (const view of [...logs, ...others]) expect({ [view]: again[view]() }).toEqual({ [view]: sandbox[view]() });
    expect(again.usage().month).toEqual(sandbox.usage().month);
    expect(again.keys.list()).toEqual(sandbox.keys.list());
    expect(again.webhooks.list()).toEqual(sandbox.webhooks.list());
    expect(again.faults.list()).toEqual(sandbox.faults.list());
    expect(again.time.now()).toEqual(sandbox.time.now());
    const ids = sandbox.deliveries().map(({ id }) => again.delivery(id));
    expect(ids).toEqual(sandbox.deliveries().map(({ id }) => sandbox.delivery(id)));
    again.close();
  });

  it('is written half a second after a change, for this user only, and replaced as a whole', async () => {
    const { open, path, names } = newFolder();
    const timers = manualTimers();
    const file = open(() => true, timers.later);
    const { sandbox } = calls({ file });
    expect(names()).toEqual([]);
    timers.fire(500);
    await expect.poll(names).toEqual(['state.json']);
    sandbox.trigger('contact.created', { phone: '+12025550142' });
    await file.close();
    expect(JSON.parse(readFileSync(path, 'utf8')).contacts.list.at(-1)).toMatchObject({ phone: '+12025550142' });
    expect(names()).toEqual(['state.json']);
  });

  it.each([
    ['', 'is damaged'],
    ['{"version":1,"serial":1', 'is damaged'],
    ['{"version":1}', 'is damaged'],
    ['[]', 'is damaged'],
    ['{"version":2,"serial":1}', 'is of another version'],
  ])('is moved aside if it is %j', (text, why) => {
    const { open, path, names, warnings } = newFolder();
    writeFileSync(path, text);
    expect(open().past).toBeUndefined();
    const [aside = ''] = names();
    expect(names()).toEqual([expect.stringMatching(/^state\.json\.\d+$/)]);
    expect(readFileSync(join(path, '..', aside), 'utf8')).toBe(text);
    expect(warnings).toEqual([expect.stringContaining(`the state of the sandbox ${why}, so it starts with a new one`)]);
  });

  it('is not written by a process that has lost the folder', async () => {
    const { open, names } = newFolder();
    const file = open(() => false);
    calls({ file }).sandbox.trigger('order.paid');
    await file.close();
    expect(names()).toEqual([]);
  });

  it('reports that it cannot be written', async () => {
    const { open, path } = newFolder();
    const file = open();
    calls({ file });
    rmSync(join(path, '..'), { recursive: true });
    await expect(file.close()).rejects.toMatchObject({ code: 'state-unwritable' });
  });
});

describe('the logs', () => {
  it('keep the newest 10,000 messages, events and requests, also after a restart', async () => {
    const { open } = newFolder();
    const file = open();
    const { sandbox, post, clock } = calls({ file });
    for (let number = 0; number < 10_050; number += 1) await post(paths.send, { ...order, to: `+1${number}` });
    await clock.advance(10_000);
    const times = sandbox.events().map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    sandbox.close();
    await file.close();
    for (const view of [sandbox, calls({ file: open() }).sandbox]) {
      expect(view.messages().map(({ to }) => to)).toEqual(Array.from({ length: 10_000 }, (_, at) => `+1${at + 50}`));
      expect([view.requests().length, view.events().length]).toEqual([10_000, 10_000]);
      expect(view.cursors()).toEqual({ messages: 10_050, requests: 10_050, events: 20_100 });
      expect(view.requests({ after: 10_048 })).toHaveLength(2);
      expect(view.usage().month.used).toBe(10_050);
    }
  });

  it('keep older events that are not delivered yet, and drop them then', async () => {
    const { open } = newFolder();
    const file = open();
    const { sandbox } = calls({ file });
    sandbox.webhooks.add({ url: 'http://127.0.0.1:9/', events: ['order.paid'] });
    const { events } = sandbox.trigger('order.paid');
    for (let number = 0; number < 10_050; number += 1) sandbox.trigger('flow.completed');
    expect(sandbox.events()).toHaveLength(10_001);
    sandbox.close();
    await file.close();
    const again = calls({ file: open() }).sandbox;
    expect(again.events()[0]).toMatchObject({ id: events[0]?.id });
    expect(again.deliveries({ states: ['waiting'] })).toHaveLength(1);
    again.webhooks.remove('http://127.0.0.1:9/');
    expect(again.deliveries({ states: ['waiting', 'dead'] })).toEqual([]);
    again.close();
  });
});
