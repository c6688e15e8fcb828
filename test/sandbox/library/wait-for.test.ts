import { createSandbox } from 'bizmsg/sandbox';
import { describe, expect, it } from 'vitest';
import { sent } from '../calls.ts';

describe('waitFor', () => {
  it('resolves with an event that happens later', async () => {
    await using sandbox = createSandbox({ clock: 'manual' });
    await sent(sandbox);
    const waiting = sandbox.waitFor('message.delivered');
    await sandbox.clock.advance('1s');
    expect(await waiting).toEqual(sandbox.events()[0]);
  });

  it('resolves with an event that has happened, once', async () => {
    await using sandbox = createSandbox();
    const created = ['+12025550142', '+12025550143'].flatMap((phone) => sandbox.trigger('contact.created', { phone }));
    const events = [await sandbox.waitFor('contact.created'), await sandbox.waitFor('contact.created')];
    expect(events).toEqual(created);
    await expect(sandbox.waitFor('contact.created', { within: 0 })).rejects.toThrow('no such event within 0 ms');
  });

  it('finds an event with a test', async () => {
    await using sandbox = createSandbox();
    sandbox.trigger('message.received', { text: 'Hello' });
    sandbox.trigger('message.received', { text: 'STOP' });
    const { data } = await sandbox.waitFor((event) => event.data['text'] === 'STOP');
    expect(data).toMatchObject({ text: 'STOP' });
  });

  it('reports what happened instead, and that the clock is frozen', async () => {
    await using sandbox = createSandbox({ clock: 'manual' });
    sandbox.trigger('order.paid');
    const waiting = sandbox.waitFor('message.read', { within: '1ms' });
    await expect(waiting).rejects.toThrow(
      'waitFor: no such event within 1ms; the last events: order.paid; the clock is frozen, so advance it first',
    );
  });

  it.each(['31d', Infinity] as const)('waits within %s, longer than a timer of Node can', async (within) => {
    await using sandbox = createSandbox();
    const waiting = sandbox.waitFor('order.paid', { within });
    await expect(sandbox.waitFor('order.paid', { within: 20 })).rejects.toThrow('no such event within 20 ms');
    sandbox.trigger('order.paid');
    expect(await waiting).toMatchObject({ type: 'order.paid' });
  });

  it('ends when the sandbox is closed', async () => {
    const sandbox = createSandbox();
    const waiting = sandbox.waitFor('message.read', { within: '1h' });
    void sandbox.close();
    await expect(waiting).rejects.toThrow('this sandbox is closed');
  });

  it.each([
    ['message.raed', '4s', 'the argument must be an event; did you mean "message.read"?'],
    ['message.read', 'soon', '"soon" is not a duration'],
  ])('refuses %j within %j', async (wanted, within, reason) => {
    await using sandbox = createSandbox();
    // @ts-expect-error: JavaScript may pass other texts
    await expect(sandbox.waitFor(wanted, { within })).rejects.toThrow(`waitFor: ${reason}`);
  });
});
