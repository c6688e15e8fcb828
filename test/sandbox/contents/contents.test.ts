import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { openRemote } from '../../../src/sandbox/remote/remote.ts';
import { thrown } from '../../support/thrown.ts';
import { bearing, calls, type Calls, order, paths, start } from '../calls.ts';
import { served, token } from '../served.ts';

const created = new Date(start).toISOString();

/** A few records of every kind. */
async function lived(options: Parameters<typeof calls>[0] = {}): Promise<Calls> {
  const world = calls(options);
  const { sandbox, post, clock } = world;
  await post(paths.send, order);
  await post(paths.contacts, { phone: '+12025550142', name: 'Ada' });
  sandbox.seed({ templates: [{ name: 'mine', body: 'Hi' }], campaigns: [{ name: 'Mine', template: 'mine' }] });
  sandbox.trigger('message.received');
  sandbox.trigger('order.paid');
  sandbox.trigger('flow.completed');
  await clock.advance(10_000);
  return world;
}

describe('a reset', () => {
  const count = ({ sandbox }: Calls, before?: string) => {
    const { contacts, templates, campaigns, messages, events } = sandbox.counts();
    const rest = { requests: sandbox.requests().length, isNew: sandbox.dataId() !== before };
    return { contacts, templates, campaigns, messages, events, ...rest };
  };
  const before = { contacts: 7, templates: 8, campaigns: 4, messages: 1, events: 7, requests: 2, isNew: true };

  it.each([
    ['messages', { ...before, messages: 0 }],
    ['contacts', { ...before, contacts: 5 }],
    ['logs', { ...before, events: 0, requests: 0, isNew: false }],
    ['all', { contacts: 5, templates: 7, campaigns: 3, messages: 0, events: 0, requests: 0, isNew: true }],
  ] as const)('of %s deletes these and nothing else, and renews the data id if needed', async (what, after) => {
    const world = await lived();
    // Two sandboxes with the same seed have different data.
    expect(count(world, calls().sandbox.dataId())).toEqual(before);
    const id = world.sandbox.dataId();
    world.sandbox.reset(what);
    expect(count(world, id)).toEqual(after);
  });

  it('leaves keys, plan, webhooks, faults and clock', async () => {
    const { sandbox } = await lived({ plan: 'growth' });
    sandbox.keys.create('send-only');
    sandbox.keys.goLive();
    sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks' });
    sandbox.faults.add({ on: ['listContacts'], effect: { kind: 'hang' } });
    await sandbox.time.advance(5_000);
    const kept = () => [
      [sandbox.keys.list(), sandbox.secret(), sandbox.plan()],
      [sandbox.webhooks.list(), sandbox.faults.list(), sandbox.time.now()],
    ];
    const before = kept();
    sandbox.reset('all');
    expect(kept()).toEqual(before);
    sandbox.close();
  });

  it('cancels the receipts of sent messages', async () => {
    const { sandbox, post, clock } = calls();
    await post(paths.send, order);
    sandbox.reset('messages');
    await clock.advance(60_000);
    expect(sandbox.events()).toEqual([]);
  });

  it('of the messages also restarts the month', async () => {
    const { sandbox, post } = calls();
    sandbox.setPlan({ name: 'starter', perMonth: 1, without: [] });
    const statuses = [(await post(paths.send, order)).status, (await post(paths.send, order)).status];
    sandbox.reset('messages');
    expect([...statuses, (await post(paths.send, order)).status]).toEqual([200, 429, 200]);
  });

  it('reuses no identifier and no cursor', async () => {
    const { sandbox, file } = await lived();
    const ids = new Set(sandbox.events().map(({ id }) => id));
    const cursors = sandbox.cursors();
    sandbox.reset('all');
    expect(sandbox.cursors()).toEqual(cursors);
    const { sandbox: again } = calls({ file });
    expect(again.cursors()).toEqual(cursors);
    again.trigger('message.received');
    expect(again.cursors().events).toBe(cursors.events + 2);
    expect(again.events({ after: cursors.events })).toHaveLength(2);
    expect(again.events().filter(({ id }) => ids.has(id))).toEqual([]);
  });
});

describe('seeding a sandbox', () => {
  it('adds missing ids and times', () => {
    const { sandbox } = calls();
    const taken = sandbox.seed({
      contacts: [{ phone: '+12025550142' }],
      templates: [{ name: 'mine', body: 'Hi {{1}}, {{2}} {{1}}' }],
      campaigns: [{ name: 'Mine', template: 'mine' }],
    });
    expect(taken).toEqual({ contacts: 1, templates: 1, campaigns: 1 });
    const contact = { id: expect.stringMatching(/^con_sandbox_/), tags: [], attributes: {}, created_at: created };
    expect(sandbox.contacts().at(-1)).toEqual({ phone: '+12025550142', ...contact });
    const template = { language: 'en_US', category: 'UTILITY', status: 'APPROVED', variables: ['1', '2'] };
    expect(sandbox.templates().at(-1)).toMatchObject({ id: expect.stringMatching(/^tpl_sandbox_/), ...template });
    const campaign = { status: 'SCHEDULED', audience: 0, counts: { sent: 0 }, created_at: created };
    expect(sandbox.campaigns().at(-1)).toMatchObject({ id: expect.stringMatching(/^cmp_sandbox_/), ...campaign });
    expect(sandbox.events()).toEqual([]);
  });

  it('replaces known records, which keep their id and time', () => {
    const { sandbox } = calls();
    const seed = {
      contacts: [{ phone: '+12025550112', name: 'Alan' }],
      templates: [{ name: 'welcome', body: 'Hi' }],
      campaigns: [
        { name: 'Order updates', template: 'welcome' },
        { id: 'cmp_sandbox_3', name: 'New', template: 'welcome' },
      ],
    };
    const before = contentsOf(sandbox);
    sandbox.seed(seed);
    sandbox.seed(seed);
    const after = contentsOf(sandbox);
    expect(sandbox.counts()).toMatchObject({ contacts: 5, templates: 7, campaigns: 3 });
    expect(after.contacts[1]).toEqual({ ...before.contacts[1], name: 'Alan', tags: [] });
    expect(after.templates[1]).toMatchObject({ id: 'tpl_sandbox_2', body: 'Hi' });
    expect(after.campaigns[1]).toMatchObject({ id: 'cmp_sandbox_2', name: 'Order updates' });
    const { created_at } = before.campaigns[2] ?? {};
    expect(after.campaigns[2]).toMatchObject({ id: 'cmp_sandbox_3', name: 'New', created_at });
  });

  it('accepts the records of another sandbox, including their ids', async () => {
    const [from, to] = [await lived(), calls({ seed: 'another' })];
    to.sandbox.seed(JSON.parse(JSON.stringify(contentsOf(from.sandbox))));
    expect(contentsOf(to.sandbox)).toEqual(contentsOf(from.sandbox));
  });

  it.each([
    ['{"contacts":[{"phone":"+1"},{"phone":"1"}]}', '/contacts/1/phone must be'],
    ['{"contacts":[{"phone":"+1"},{"name":"x"}]}', '/contacts/1/phone is missing'],
    ['{"contacts":[{"phone":"+1"},7]}', '/contacts/1 must be an object'],
    ['{"contacts":[{"phone":"+1","nam":"x"}]}', '/contacts/0/nam is unknown; did you mean "name"?'],
    ['{"contacts":[{"phone":"+1","created_at":"soon"}]}', '/contacts/0/created_at must be a time'],
    ['{"contacts":{}}', '/contacts must be an array'],
    ['{"templates":[{"name":"x","body":"y","status":"approved"}]}', '/templates/0/status must be one of APPROVED, '],
    ['{"campaigns":[{"name":"x","template":"y","counts":{"sent":-1}}]}', '/campaigns/0/counts/sent must be an integer'],
    ['{"contcts":[]}', '/contcts is unknown; did you mean "contacts"?'],
    ['[]', 'the body must be an object'],
  ])('is rejected as a whole: %s', (text, problem) => {
    const { sandbox, file } = calls();
    const before = file.text();
    const refusal = thrown(() => sandbox.seed(JSON.parse(text)));
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(problem) });
    expect(file.text()).toBe(before);
  });
});

it('over the control plane, contents can be larger than other bodies, up to 64 MiB and with the token', async () => {
  await using server = await served();
  const attributes = { note: 'x'.repeat(2 * 1_048_576) };
  const contacts = [{ phone: '+1', attributes }];
  expect(await openRemote({ url: server.url, token }).ask('seed', { contacts })).toMatchObject({ contacts: 1 });
  const post = async (path: string, body: string, sentToken = token) => {
    const headers = { ...bearing(server.sandbox.keys.sandbox), 'x-sandbox-token': sentToken };
    const answer = await httpRequest(server.url + path, { headers, body });
    return [answer.status, answer.body];
  };
  const seeding = '/__sandbox/seed';
  const tooLarge = '{"error":{"message":"the body is larger than 64 MiB"}}';
  expect(await post(seeding, ' '.repeat(64 * 1_048_576 + 1))).toEqual([400, tooLarge]);
  expect(await post(seeding, JSON.stringify({ contacts }), 'wrong')).toMatchObject({ 0: 403 });
  expect(await post(paths.contacts, JSON.stringify(contacts[0]))).toMatchObject({ 0: 400 });
});

function contentsOf(sandbox: Calls['sandbox']) {
  return { contacts: sandbox.contacts(), templates: sandbox.templates(), campaigns: sandbox.campaigns() };
}
