import { describe, expect, it } from 'vitest';
import { eventNames, events } from '../../../src/contract/events.ts';
import { testNumbers } from '../../../src/sandbox/state/receipts.ts';
import { thrown } from '../../support/thrown.ts';
import { calls, type Calls, memoryStore, order, paths, start } from '../calls.ts';

const names = ({ sandbox }: Calls) => sandbox.events().map(({ type }) => type);

describe('trigger', () => {
  it.each(eventNames.filter((name) => !name.startsWith('message.')))('%s needs nothing to be said', (name) => {
    const world = calls();
    const { events } = world.sandbox.trigger(name);
    expect(events.map(({ type, at }) => [type, at])).toEqual([[name, start]]);
    expect(world.sandbox.events()).toMatchObject(events);
  });

  it('has every event of the contract', () => {
    expect(eventNames).toEqual(Object.keys(events));
  });

  it('gives its events to webhooks, as any other', () => {
    const { sandbox, store } = calls();
    sandbox.webhooks.add({ url: 'http://127.0.0.1:9/hooks', events: ['message.received'] });
    const { events } = sandbox.trigger('message.received');
    const deliveries = [...store.past].flat().filter(({ type }) => type === 'delivery');
    expect(deliveries).toMatchObject([{ delivery: { event: events[1]?.id } }]);
    sandbox.close();
  });

  it('is one commit, so that there is all of it or nothing', () => {
    const store = memoryStore();
    const full = () => {
      throw new Error('ENOSPC');
    };
    const before = calls({ store }).sandbox.keys;
    const { sandbox } = calls({ store: { ...store, past: store.past, append: full } });
    expect(() => sandbox.trigger('message.received')).toThrow('ENOSPC');
    expect([sandbox.events(), sandbox.contacts().length, before.live]).toEqual([[], 5, sandbox.keys.live]);
  });

  it('survives a restart', () => {
    const store = memoryStore();
    const { sandbox } = calls({ store });
    for (const name of eventNames)
      sandbox.trigger(name, name.startsWith('message.') && name !== 'message.received' ? { to: '+1' } : {});
    const again = calls({ store });
    expect(again.sandbox.events()).toEqual(sandbox.events());
    expect(again.sandbox.export()).toEqual(sandbox.export());
  });

  it.each([
    ['message.received', { txt: 'Hi' }, '"txt" is not a field of message.received; did you mean "text"?'],
    ['message.received', { amount: '1' }, '"amount" is not a field of message.received: it has from, text'],
    ['message.received', { message_id: 'm' }, '"message_id" of message.received is not yours to say; leave it out'],
    ['message.received', { from: '1202' }, '/from must be "+" followed by digits'],
    ['message.received', { __proto__: null, constructor: 1 }, '"constructor" is not a field of message.received'],
    ['order.paid', { contact: 'c', contact_id: 'd' }, '/contact is given twice'],
    ['order.paid', { amount: 10 }, '/amount must be a decimal in a text, such as "10.00"'],
    ['order.paid', { amount: '1e3' }, '/amount must be a decimal'],
    ['order.paid', { currency: 'usd' }, '/currency must be three capital letters'],
    ['message.failed', { reason: 'blocked' }, '/reason must be an object with code and message'],
    ['message.failed', { reason: { text: 'x' } }, '/reason/text is not part of a reason'],
    ['contact.created', { tags: 'vip' }, '/tags must be an array'],
  ] as const)('refuses %s of %j', (name, fields, message) => {
    const { sandbox } = calls();
    const refusal = thrown(() => sandbox.trigger(name, fields));
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining(message) });
    expect(sandbox.events()).toEqual([]);
  });
});

describe('message.received', () => {
  it('makes a contact of an unknown sender first', () => {
    const { sandbox } = calls();
    const { events, ...ids } = sandbox.trigger('message.received', { from: '+12025550199', text: 'Hi' });
    const contact = sandbox.contacts().at(-1);
    expect(contact).toMatchObject({ phone: '+12025550199', tags: [], attributes: {} });
    expect(events).toMatchObject([
      { type: 'contact.created', data: { ...contact } },
      { type: 'message.received', data: { ...ids, from: '+12025550199', text: 'Hi' }, message: ids['message_id'] },
    ]);
    expect(ids).toEqual({ contact_id: contact?.id, message_id: expect.stringMatching(/^msg_sandbox_/) });
  });

  it('finds a known sender among the contacts', () => {
    const { sandbox } = calls();
    const { events } = sandbox.trigger('message.received', { from: '+12025550111' });
    expect(events).toMatchObject([{ data: { contact_id: 'con_sandbox_1', text: 'Hello' } }]);
    expect(sandbox.contacts()).toHaveLength(5);
  });
});

describe('the receipts of a message', () => {
  it('are about the latest message that can still get one', async () => {
    const { sandbox, post } = calls();
    await post(paths.send, order);
    await post(paths.send, order);
    const [first, second] = sandbox.messages().map(({ id }) => id);
    expect(sandbox.trigger('message.delivered')).toMatchObject({ message_id: second });
    expect(sandbox.trigger('message.delivered')).toMatchObject({ message_id: first });
    expect(sandbox.trigger('message.read')).toMatchObject({ message_id: second });
  });

  it('tell what those that come by themselves tell', async () => {
    const { sandbox, post } = calls();
    await post(paths.send, order);
    const [id] = sandbox.messages().map(({ id }) => id);
    const data = { message_id: id, to: order.to, template: order.template, status: 'delivered' };
    expect(sandbox.trigger('message.delivered', { message: id }).events).toMatchObject([
      { message: id, done: 1, data },
    ]);
  });

  it('take the place of those that would come: delivered leaves the reading', async () => {
    const world = calls();
    await world.post(paths.send, order);
    world.sandbox.trigger('message.delivered');
    const [message] = world.sandbox.messages();
    await world.clock.advance(60_000);
    expect(world.sandbox.events().map(({ type, at }) => [type, at])).toEqual([
      ['message.delivered', start],
      ['message.read', message?.receipts[1]?.at],
    ]);
  });

  it.each([
    ['message.read', ['message.delivered', 'message.read']],
    ['message.failed', ['message.failed']],
  ] as const)('end with %s', async (name, expected) => {
    const world = calls();
    await world.post(paths.send, order);
    expect(world.sandbox.trigger(name).events.map(({ type }) => type)).toEqual(expected);
    await world.clock.advance(60_000);
    expect(names(world)).toEqual(expected);
    expect(world.sandbox.messages()).toMatchObject([{ status: name.replace('message.', '') }]);
  });

  it('can be those of a test number that would fail', async () => {
    const world = calls();
    world.sandbox.trigger('message.delivered', { to: testNumbers.fails });
    world.sandbox.trigger('message.read');
    await world.clock.advance(60_000);
    expect(names(world)).toEqual(['message.delivered', 'message.read']);
  });

  it('keep their order with those that come by themselves, also after a restart', async () => {
    const store = memoryStore();
    const { sandbox, post } = calls({ store });
    await post(paths.send, order);
    sandbox.trigger('message.delivered');
    sandbox.close();
    const again = calls({ store });
    await again.clock.advance(60_000);
    expect(names(again)).toEqual(['message.delivered', 'message.read']);
  });

  it('come to a new message with a number, and then the rest by itself', async () => {
    const world = calls();
    const { message_id: id } = world.sandbox.trigger('message.delivered', { to: '+12025550142', template: 'welcome' });
    expect(world.sandbox.messages()).toMatchObject([
      { id, to: '+12025550142', template: 'welcome', status: 'delivered' },
    ]);
    await world.clock.advance(60_000);
    expect(names(world)).toEqual(['message.delivered', 'message.read']);
  });

  it('bear the reason of a failure', () => {
    const { sandbox } = calls();
    const told = (fields: object) =>
      sandbox.trigger('message.failed', { to: '+1', ...fields }).events[0]?.data['reason'];
    expect(told({})).toEqual({ code: 'undeliverable', message: 'this message was made to fail' });
    expect(told({ reason: { code: 'blocked' } })).toMatchObject({ code: 'blocked' });
    expect(told({ reason: { code: 'a', message: 'b' } })).toEqual({ code: 'a', message: 'b' });
  });

  it.each([
    ['message.delivered', 'message.delivered', 'what it can still get is message.read'],
    ['message.delivered', 'message.failed', 'what it can still get is message.read'],
    ['message.read', 'message.delivered', 'nothing more happens to it'],
    ['message.read', 'message.read', 'nothing more happens to it'],
    ['message.failed', 'message.delivered', 'nothing more happens to it'],
    ['message.failed', 'message.read', 'nothing more happens to it'],
  ] as const)('after %s cannot be %s', (first, second, why) => {
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
    [{}, 404, 'there is no message yet: send one, or give to for'],
    [{ message: 'none' }, 404, 'there is no message none: send one, or give to for'],
    [{ message: 'none', to: '+1' }, 400, 'exclude each other'],
    [{ template: 'welcome' }, 400, 'give to as well'],
    [{ to: '+1', template: 'none' }, 404, 'there is no template "none"'],
    [{ to: '+1', template: 'regalo' }, 400, 'is not approved: REJECTED'],
  ])('are refused of %j', (fields, status, message) => {
    const refusal = thrown(() => calls().sandbox.trigger('message.read', fields));
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  it('are refused when every message has come to its end', () => {
    const { sandbox } = calls();
    sandbox.trigger('message.failed', { to: '+1' });
    const refusal = thrown(() => sandbox.trigger('message.delivered'));
    expect(refusal).toMatchObject({ message: expect.stringContaining('no message can still get message.delivered') });
  });
});

describe('contact.created', () => {
  it('adds a contact with what is said of it', () => {
    const { sandbox } = calls();
    const said = { phone: '+12025550142', name: 'Ada', tags: ['vip'], attributes: { city: 'Oslo' } };
    const { events, contact_id: id } = sandbox.trigger('contact.created', said);
    expect(sandbox.contacts().at(-1)).toMatchObject({ id, ...said });
    expect(events).toMatchObject([{ data: { id, ...said } }]);
  });

  it('is refused for a known phone, since none is added', () => {
    const refusal = thrown(() => calls().sandbox.trigger('contact.created', { phone: '+12025550111' }));
    expect(refusal).toMatchObject({ status: 400, message: expect.stringContaining('is a contact already') });
  });

  it('finds a number of fiction that nobody has, as long as there is one', () => {
    const { sandbox } = calls();
    for (let time = 0; time < 92; time++) sandbox.trigger('contact.created');
    const phones = sandbox.contacts().map(({ phone }) => phone);
    expect(new Set(phones).size).toBe(97);
    expect(Object.values(testNumbers).filter((number) => phones.includes(number))).toEqual([]);
    expect(() => sandbox.trigger('contact.created')).toThrow('every number of fiction is a contact already');
  });
});

describe('flow.completed and order.paid', () => {
  it('are about the first contact, or one by phone or id', () => {
    const { sandbox } = calls();
    const contacts = [{}, { contact: '+12025550113' }, { contact: 'con_sandbox_4' }, { contact_id: 'con_sandbox_5' }];
    for (const [at, fields] of contacts.entries()) {
      const id = `con_sandbox_${[1, 3, 4, 5][at]}`;
      expect(sandbox.trigger('flow.completed', fields)).toMatchObject({ contact_id: id });
      expect(sandbox.trigger('order.paid', fields)).toMatchObject({ contact_id: id });
    }
  });

  it('tell what was said', () => {
    const { sandbox } = calls();
    const flow = sandbox.trigger('flow.completed', { flow: 'Survey' });
    expect(flow.events[0]?.data).toEqual({
      flow_run_id: flow.flow_run_id,
      flow: 'Survey',
      contact_id: 'con_sandbox_1',
    });
    const said = { amount: '49.90', currency: 'EUR', provider: 'acme' };
    const paid = sandbox.trigger('order.paid', said);
    expect(paid.events[0]?.data).toEqual({ order_id: paid.order_id, contact_id: 'con_sandbox_1', ...said });
  });

  it.each(['flow.completed', 'order.paid'] as const)('%s is refused for a contact that is not there', (name) => {
    const refusal = thrown(() => calls().sandbox.trigger(name, { contact: '+12025550199' }));
    expect(refusal).toMatchObject({ status: 404, message: 'there is no contact +12025550199' });
  });
});

describe('broadcast.completed', () => {
  it('sends to every contact, and completes the first campaign that is not', async () => {
    const world = calls();
    const { sandbox, clock } = world;
    const { events, campaign_id: id } = sandbox.trigger('broadcast.completed');
    const counts = { sent: 5, delivered: 0, read: 0, failed: 0 };
    expect(id).toBe('cmp_sandbox_2');
    expect(sandbox.campaigns()[1]).toMatchObject({ id, status: 'COMPLETED', audience: 5, counts });
    expect(sandbox.messages().map(({ to, template }) => [to, template])).toEqual(
      sandbox.contacts().map(({ phone }) => [phone, 'order_update']),
    );
    expect(events).toMatchObject([
      { data: { campaign_id: id, name: 'Order updates', template: 'order_update', audience: 5, counts } },
    ]);
    await clock.advance(10_000);
    expect(sandbox.messages().every(({ status }) => status === 'read')).toBe(true);
    expect(names(world)).toHaveLength(11);
  });

  it('sends to those alone that have a tag', () => {
    const { sandbox } = calls();
    sandbox.trigger('broadcast.completed', { campaign: 'Reminders for May', tag: 'vip' });
    expect(sandbox.messages()).toMatchObject([{ to: '+12025550112', template: 'appointment_reminder' }]);
    expect(sandbox.campaigns()[2]).toMatchObject({ status: 'COMPLETED', audience: 1 });
  });

  it('makes a campaign of its own with a name or template, or when all have completed', () => {
    const { sandbox } = calls();
    sandbox.trigger('broadcast.completed', { name: 'Sale', template: 'welcome' });
    sandbox.trigger('broadcast.completed');
    sandbox.trigger('broadcast.completed');
    sandbox.trigger('broadcast.completed');
    expect(sandbox.campaigns().map(({ name, template, status }) => [name, template, status])).toEqual([
      ['Welcome to new customers', 'welcome', 'COMPLETED'],
      ['Order updates', 'order_update', 'COMPLETED'],
      ['Reminders for May', 'appointment_reminder', 'COMPLETED'],
      ['Sale', 'welcome', 'COMPLETED'],
      ['Broadcast 5', 'order_update', 'COMPLETED'],
    ]);
  });

  it('sends to thousands in commits that do not grow with them', () => {
    const { sandbox, store } = calls();
    sandbox.seed({ contacts: Array.from({ length: 2_500 }, (_, number) => ({ phone: `+1202${5_600_000 + number}` })) });
    const before = store.lines.length;
    sandbox.trigger('broadcast.completed');
    const sizes = [...store.past].slice(before).map(({ length }) => length);
    expect(sizes).toEqual([1_000, 1_000, 508]);
    expect(new Set(sandbox.messages().map(({ id }) => id)).size).toBe(2_505);
    expect(new Set(sandbox.messages().map(({ receipts }) => receipts[0]?.at)).size).toBeGreaterThan(100);
  });

  it.each([
    [{ campaign: 'Welcome to new customers' }, 400, 'is COMPLETED already; give name for a new one'],
    [{ campaign: 'cmp_sandbox_1' }, 400, 'is COMPLETED already'],
    [{ campaign: 'none' }, 404, 'there is no campaign "none"'],
    [{ campaign: 'cmp_sandbox_2', name: 'Sale' }, 400, 'exclude each other'],
    [{ name: 'Order updates' }, 400, 'there is a campaign "Order updates" already'],
    [{ template: 'spring_sale' }, 400, 'is not approved: PENDING'],
    [{ tag: 'none' }, 400, 'no contact has the tag "none"'],
  ])('is refused of %j', (fields, status, message) => {
    const { sandbox } = calls();
    const refusal = thrown(() => sandbox.trigger('broadcast.completed', fields));
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
    expect([sandbox.messages(), sandbox.campaigns().length]).toEqual([[], 3]);
  });
});
