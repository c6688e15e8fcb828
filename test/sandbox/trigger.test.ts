import { describe, expect, it } from 'vitest';
import { testNumbers } from '../../src/sandbox/events/emit.ts';
import { thrown } from '../support/thrown.ts';
import { calls, type Calls, memoryFile, order, paths, start } from './calls.ts';

const names = ({ sandbox }: Calls) => sandbox.events().map(({ type }) => type);

it.each([
  ['message.received', { __proto__: null, constructor: 1 }, '/constructor is unknown'],
  ['order.paid', { amount: '1e3' }, '/amount must be an amount'],
  ['message.failed', { reason: 'blocked' }, '/reason must be an object'],
  ['message.failed', { reason: { text: 'x' } }, '/reason/text is unknown; known: code, message'],
  ['contact.created', { tags: 'vip' }, '/tags must be an array'],
] as const)('trigger refuses %s of %j', (name, fields, message) => {
  const { sandbox } = calls();
  const refusal = thrown(() => sandbox.trigger(name, fields));
  expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(message) });
  expect(sandbox.events()).toEqual([]);
});

it('message.received uses the contact of a known sender', () => {
  const { sandbox } = calls();
  const { events } = sandbox.trigger('message.received', { from: '+12025550111' });
  expect(events).toMatchObject([{ data: { contact_id: 'con_sandbox_1', text: 'Hello' } }]);
  expect(sandbox.contacts()).toHaveLength(5);
});

describe('a receipt', () => {
  it('goes to the latest message that can still get it', async () => {
    const { sandbox, post } = calls();
    await post(paths.send, order);
    await post(paths.send, order);
    const [first, second] = sandbox.messages().map(({ id }) => id);
    expect(sandbox.trigger('message.delivered')).toMatchObject({ message_id: second });
    expect(sandbox.trigger('message.delivered')).toMatchObject({ message_id: first });
    expect(sandbox.trigger('message.read')).toMatchObject({ message_id: second });
  });

  it('replaces the scheduled delivery; the read follows as scheduled', async () => {
    const world = calls();
    await world.post(paths.send, order);
    world.sandbox.trigger('message.delivered');
    const message = world.sandbox.message(world.sandbox.messages()[0]?.id ?? '');
    await world.clock.advance(60_000);
    expect(world.sandbox.events().map(({ type, at }) => [type, at])).toEqual([
      ['message.delivered', start],
      ['message.read', Date.parse(message?.receipts[1]?.at ?? '')],
    ]);
  });

  it.each([
    ['message.read', ['message.delivered', 'message.read']],
    ['message.failed', ['message.failed']],
  ] as const)('of type %s is the last one', async (name, expected) => {
    const world = calls();
    await world.post(paths.send, order);
    expect(world.sandbox.trigger(name).events.map(({ type }) => type)).toEqual(expected);
    await world.clock.advance(60_000);
    expect(names(world)).toEqual(expected);
    expect(world.sandbox.messages()).toMatchObject([{ status: name.replace('message.', '') }]);
  });

  it.each([
    ['message.delivered', 'message.failed', 'it can still get message.read'],
    ['message.read', 'message.delivered', 'its status is final'],
    ['message.failed', 'message.read', 'its status is final'],
  ] as const)('after %s, %s is refused', (first, second, why) => {
    const world = calls();
    const { message_id: message } = world.sandbox.trigger(first, { to: '+1' });
    const before = names(world);
    expect(thrown(() => world.sandbox.trigger(second, { message }))).toMatchObject({
      status: 400,
      message: expect.stringMatching(new RegExp(`^${message} is .* and cannot get ${second}: ${why}$`)),
    });
    expect(names(world)).toEqual(before);
  });

  it.each([
    [{}, 404, 'there is no message yet: send one, or pass to for'],
    [{ message: 'none' }, 404, 'there is no message none: send one, or pass to for'],
    [{ message: 'none', to: '+1' }, 400, 'exclude each other'],
    [{ template: 'welcome' }, 400, 'pass to as well'],
    [{ to: '+1', template: 'none' }, 404, 'there is no template "none"'],
    [{ to: '+1', template: 'regalo' }, 400, 'is not approved: REJECTED'],
  ])('with %j is refused', (fields, status, message) => {
    const refusal = thrown(() => calls().sandbox.trigger('message.read', fields));
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
  });
});

it('contact.created generates an unused fictional number, as long as there is one', () => {
  const { sandbox } = calls();
  for (let time = 0; time < 92; time++) sandbox.trigger('contact.created');
  const phones = sandbox.contacts().map(({ phone }) => phone);
  expect(new Set(phones).size).toBe(97);
  expect(Object.values(testNumbers).filter((number) => phones.includes(number))).toEqual([]);
  expect(() => sandbox.trigger('contact.created')).toThrow('all 100 fictional numbers are contacts already');
});

it('flow.completed and order.paid use the first contact, or one by phone or id', () => {
  const { sandbox } = calls();
  const contacts = [{}, { contact: '+12025550113' }, { contact: 'con_sandbox_4' }];
  for (const [at, fields] of contacts.entries()) {
    const id = `con_sandbox_${[1, 3, 4][at]}`;
    expect(sandbox.trigger('flow.completed', fields)).toMatchObject({ contact_id: id });
    expect(sandbox.trigger('order.paid', fields)).toMatchObject({ contact_id: id });
  }
});

describe('broadcast.completed', () => {
  it('sends to every contact, and completes the first open campaign', async () => {
    const world = calls();
    const { sandbox, clock } = world;
    const { events, campaign_id: id } = sandbox.trigger('broadcast.completed');
    const counts = { sent: 5, delivered: 0, read: 0, failed: 0 };
    expect(id).toBe('cmp_sandbox_2');
    expect(sandbox.campaigns()[1]).toMatchObject({ id, status: 'COMPLETED', audience: 5, counts });
    expect(sandbox.messages().map(({ to, template }) => [to, template])).toEqual(
      sandbox.contacts().map(({ phone }) => [phone, 'order_update']),
    );
    const campaign = { campaign_id: id, name: 'Order updates', template: 'order_update', audience: 5 };
    expect(events).toMatchObject([{ data: { ...campaign, counts } }]);
    await clock.advance(10_000);
    expect(sandbox.messages().every(({ status }) => status === 'read')).toBe(true);
    expect(names(world)).toHaveLength(11);
  });

  it('counts the receipts of its messages, also after a restart from a snapshot', async () => {
    const file = memoryFile();
    const { sandbox, clock } = calls({ file });
    sandbox.seed({ contacts: [{ phone: '+12025550102' }] });
    sandbox.trigger('broadcast.completed');
    await clock.advance(500);
    expect(sandbox.campaigns()[1]?.counts).toEqual({ sent: 6, delivered: 5, read: 0, failed: 1 });
    const again = calls({ file });
    await again.clock.advance(10_000);
    const counts = { sent: 6, delivered: 5, read: 5, failed: 1 };
    expect(again.sandbox.campaigns()[1]?.counts).toEqual(counts);
    again.sandbox.reset('contacts');
    expect(calls({ file }).sandbox.campaigns()[1]?.counts).toEqual(counts);
  });

  it('creates a campaign for a name or template, or if all are completed', () => {
    const { sandbox } = calls();
    sandbox.trigger('broadcast.completed', { name: 'Sale', template: 'welcome' });
    for (const _ of [1, 2, 3]) sandbox.trigger('broadcast.completed');
    expect(sandbox.campaigns().map(({ name, template, status }) => [name, template, status])).toEqual([
      ['Welcome to new customers', 'welcome', 'COMPLETED'],
      ['Order updates', 'order_update', 'COMPLETED'],
      ['Reminders for May', 'appointment_reminder', 'COMPLETED'],
      ['Sale', 'welcome', 'COMPLETED'],
      ['Broadcast 5', 'order_update', 'COMPLETED'],
    ]);
  });

  it.each([
    [{ campaign: 'Welcome to new customers' }, 400, 'is already COMPLETED; pass name for a new one'],
    [{ campaign: 'cmp_sandbox_1' }, 400, 'is already COMPLETED'],
    [{ campaign: 'none' }, 404, 'there is no campaign "none"'],
    [{ campaign: 'cmp_sandbox_2', name: 'Sale' }, 400, 'exclude each other'],
    [{ name: 'Order updates' }, 400, 'the campaign "Order updates" already exists'],
    [{ template: 'spring_sale' }, 400, 'is not approved: PENDING'],
    [{ tag: 'none' }, 400, 'no contact has the tag "none"'],
  ])('is refused with %j', (fields, status, message) => {
    const { sandbox } = calls();
    const refusal = thrown(() => sandbox.trigger('broadcast.completed', fields));
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
    expect([sandbox.messages(), sandbox.campaigns().length]).toEqual([[], 3]);
  });
});
