import { createSandbox } from 'bizmsg/sandbox';
import { describe, expect, it } from 'vitest';
import { sendWith, sent } from './calls.ts';
import { receiver } from '../receiver.ts';

describe('webhooks', () => {
  it('receive signed events at their time, before an advance ends', async () => {
    await using sandbox = createSandbox({ clock: 'manual' });
    const { url, received, verify } = await receiver();
    const { id } = sandbox.webhooks.add({ url, events: ['message.failed'] });
    await sendWith(sandbox, undefined, { to: '+12025550102' });
    await sandbox.clock.advance('1s');
    expect(received).toMatchObject([{ type: 'message.failed', data: { to: '+12025550102' } }]);
    verify(sandbox.secret());
    expect(sandbox.webhooks.list()).toMatchObject([{ id, url, events: ['message.failed'], state: 'active' }]);
    const [event] = sandbox.events();
    expect(sandbox.deliveries()).toMatchObject([{ event: event?.id, url, state: 'delivered', attempts: 1, last: 200 }]);
  });

  it('can be removed, and get a new secret', async () => {
    await using sandbox = createSandbox();
    const [url, before] = ['http://127.0.0.1:9/hooks', sandbox.secret()];
    sandbox.webhooks.add({ url });
    const secret = sandbox.webhooks.rotate();
    expect([secret === before, secret === sandbox.secret()]).toEqual([false, true]);
    sandbox.webhooks.remove(url);
    expect(sandbox.webhooks.list()).toEqual([]);
    expect(() => sandbox.webhooks.remove(url)).toThrow('webhooks.remove: there is no such webhook');
  });
});

describe('faults', () => {
  it('apply as often as requested, and are cleared', async () => {
    await using sandbox = createSandbox({ clock: 'manual' });
    const { id: once } = sandbox.faults.add({ on: 'sendTemplate', effect: { kind: 'status', status: 503 }, times: 1 });
    expect([await sendWith(sandbox), await sendWith(sandbox)]).toEqual([503, 200]);
    expect(sandbox.faults.list()).toMatchObject([{ id: once, on: ['sendTemplate'], injected: 1, active: false }]);
    sandbox.faults.add({ on: ['sendTemplate'], effect: { kind: 'reset' } });
    const { fault } = await sent(sandbox);
    sandbox.faults.clear();
    expect([fault, await sendWith(sandbox)]).toEqual(['reset', 200]);
    expect(sandbox.faults.list()).toEqual([]);
    expect(() => sandbox.faults.clear(once)).toThrow('faults.clear: there is no fault flt_');
  });
});

describe('a trigger', () => {
  it('causes an event and the changes that lead to it', async () => {
    await using sandbox = createSandbox({ clock: 'manual' });
    const events = sandbox.trigger('message.received', { from: '+12025550188', text: 'Where is it?' });
    expect(events).toMatchObject([
      { type: 'contact.created', data: { phone: '+12025550188' } },
      {
        type: 'message.received',
        data: { from: '+12025550188', text: 'Where is it?' },
        at: sandbox.clock.now().getTime(),
      },
    ]);
    expect(sandbox.events()).toEqual(events);
  });
});

describe('contents', () => {
  it('are loaded, returned and deleted', async () => {
    await using sandbox = createSandbox();
    const { contacts, templates } = { contacts: sandbox.contacts(), templates: sandbox.templates() };
    sandbox.load({ templates: [{ name: 'thanks', body: 'Thank you!' }], contacts: [{ phone: '+12025550142' }] });
    expect(sandbox.templates().at(-1)).toMatchObject({ name: 'thanks', status: 'APPROVED', variables: [] });
    expect(await sendWith(sandbox, undefined, { template: 'thanks', params: [] })).toBe(200);
    sandbox.reset('messages');
    expect([sandbox.messages().length, sandbox.contacts().length]).toEqual([0, contacts.length + 1]);
    sandbox.reset();
    expect([sandbox.contacts(), sandbox.templates(), sandbox.campaigns().length]).toEqual([contacts, templates, 3]);
  });

  it('that are invalid are not loaded', async () => {
    await using sandbox = createSandbox();
    const contacts = [{ phone: '+12025550142' }, { phone: 'none' }];
    expect(() => sandbox.load({ contacts })).toThrow('load: /contacts/1/phone must be "+" followed by digits');
    expect(sandbox.contacts()).toHaveLength(5);
  });
});
