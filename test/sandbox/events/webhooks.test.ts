import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { memoryFile, order, paths } from '../calls.ts';
import { courier, courierWorld, receiver } from '../receiver.ts';

const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const local = 'http://127.0.0.1:3000/hooks';
const hour = 3_600_000;

/** Returns those of the given secrets that signed the last request. */
function signers({ received }: Awaited<ReturnType<typeof receiver>>, secrets: readonly string[]): readonly boolean[] {
  const { body = '', headers = {} } = received.at(-1) ?? {};
  return secrets.map((secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  });
}

describe('a URL', () => {
  it.each([
    'http://127.0.0.1:3000/hooks?a=b',
    'https://127.200.3.4/',
    'http://[::1]:3000/',
    'http://localhost/',
    'http://hooks.localhost/',
    'http://127.1/',
  ])('on this machine is accepted: %s', (url) => {
    expect(courierWorld().sandbox.webhooks.add({ url })).toMatchObject({ url: new URL(url).href, state: 'active' });
  });

  it.each([
    ['https://hooks.example.com/', 'hooks.example.com is not this machine'],
    ['http://10.0.0.1/', '10.0.0.1 is not this machine'],
    ['http://0.0.0.0/', '0.0.0.0 is not this machine'],
    ['http://[fe80::1]/', 'is not this machine'],
    ['http://localhost.example.com/', 'is not this machine'],
    ['http://127.0.0.1.example.com/', 'is not this machine'],
    ['http://user@127.0.0.1/', 'must not contain a user'],
    ['http://:secret@127.0.0.1/', 'must not contain a user'],
    ['ftp://127.0.0.1/', 'starts with http'],
    ['127.0.0.1:3000', 'needs a full URL'],
    ['/hooks', 'needs a full URL'],
    ['', 'needs a full URL'],
  ])('%s is rejected', (url, why) => {
    const { sandbox } = courierWorld();
    expect(() => sandbox.webhooks.add({ url })).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(why) }),
    );
    expect(sandbox.webhooks.list()).toEqual([]);
  });

  it('that is added again keeps its id and gets the new settings', () => {
    const { sandbox } = courierWorld();
    const first = sandbox.webhooks.add({ url: local, secret: webhookSecret });
    const again = sandbox.webhooks.add({ url: `${local}#top`, events: ['order.paid'] });
    expect([first.known, again.known, again.id]).toEqual([false, true, first.id]);
    const { id, created_at } = first;
    const settings = { url: local, events: ['order.paid'], secret: 'sandbox', state: 'active' };
    expect(sandbox.webhooks.list()).toEqual([{ id, created_at, ...settings }]);
  });

  it('that is removed receives nothing more, and its waiting deliveries are dead', async () => {
    const { sandbox, post, url, received } = await courier((response) => response.writeHead(500).end());
    await post(paths.contacts, { phone: '+1' });
    await sandbox.settled();
    sandbox.webhooks.remove(url);
    await post(paths.contacts, { phone: '+2' });
    await sandbox.time.advance(24 * hour);
    expect([received.length, sandbox.counts().waiting]).toEqual([1, 0]);
    expect(sandbox.deliveries()).toMatchObject([
      { state: 'dead', last: 'its webhook was removed' },
      { state: 'queued' },
    ]);
  });
});

describe('the events of a webhook', () => {
  it('are the ones it was registered for', async () => {
    const { sandbox, post } = courierWorld();
    const [all, some] = [await receiver(), await receiver()];
    sandbox.webhooks.add({ url: all.url });
    sandbox.webhooks.add({ url: some.url, events: ['message.read', 'order.paid'] });
    await post(paths.contacts, { phone: '+1' });
    await post(paths.send, order);
    await sandbox.time.advance(10_000);
    const types = [all, some].map(({ received }) => received.map(({ type }) => String(type)).toSorted());
    expect(types).toEqual([['contact.created', 'message.delivered', 'message.read'], ['message.read']]);
  });

  it('can start with the queued events, in order', async () => {
    const { sandbox, post } = courierWorld();
    const heard = await receiver();
    await post(paths.send, order);
    await sandbox.time.advance(10_000);
    sandbox.webhooks.add({ url: heard.url, events: ['contact.created'] });
    await post(paths.contacts, { phone: '+1' });
    await sandbox.settled();
    const { url, received } = await receiver();
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 2 });
    await sandbox.settled();
    expect(received.map(({ type }) => type)).toEqual(['message.delivered', 'message.read']);
    expect(sandbox.counts()).toMatchObject({ queued: 0, waiting: 0 });
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 0 });
  });

  it('can start with the events that a removed webhook had not received', async () => {
    const { sandbox, post } = await courier((response) => response.writeHead(500).end());
    await post(paths.contacts, { phone: '+1' });
    await sandbox.settled();
    sandbox.webhooks.remove(sandbox.webhooks.list()[0]?.id ?? '');
    const { url, received } = await receiver();
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 1 });
    await sandbox.settled();
    expect(received.map(({ type }) => type)).toEqual(['contact.created']);
    sandbox.webhooks.remove(url);
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 0 });
  });

  it('can start with the events that wait for their retry, in order', async () => {
    let status = 500;
    const { sandbox, post, url, received } = await courier((response) => response.writeHead(status).end());
    await post(paths.send, order);
    await sandbox.time.advance(10_000);
    received.length = 0;
    status = 200;
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 2 });
    await sandbox.settled();
    expect(received.map(({ type }) => type)).toEqual(['message.delivered', 'message.read']);
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 0 });
  });

  it('do not start with events that another webhook may still receive', async () => {
    const { sandbox, post } = await courier((response) => response.writeHead(500).end());
    await post(paths.contacts, { phone: '+1' });
    await sandbox.settled();
    const { url } = await receiver();
    expect(sandbox.webhooks.add({ url, catchUp: true })).toMatchObject({ caughtUp: 0 });
  });

  it('include queued events only on request, and only of registered types', async () => {
    const { sandbox, post } = courierWorld();
    await post(paths.contacts, { phone: '+1' });
    const { url, received } = await receiver();
    sandbox.webhooks.add({ url });
    sandbox.webhooks.add({ url, events: ['order.paid'], catchUp: true });
    await sandbox.settled();
    expect([received, sandbox.counts().queued]).toEqual([[], 1]);
  });
});

describe('a secret', () => {
  it('of a webhook signs only the events of that webhook', async () => {
    const { sandbox, post } = courierWorld();
    const [first, second] = [await receiver(), await receiver()];
    sandbox.webhooks.add({ url: first.url, secret: webhookSecret });
    sandbox.webhooks.add({ url: second.url });
    await post(paths.contacts, { phone: '+1' });
    await sandbox.settled();
    const secrets = [webhookSecret, sandbox.secret()];
    expect([signers(first, secrets), signers(second, secrets)]).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it.each(['', 'secret', 'whsec_', 'whsec_c2hvcnQ='])('of a webhook is rejected if invalid: %j', (secret) => {
    const { sandbox } = courierWorld();
    expect(() => sandbox.webhooks.add({ url: local, secret })).toThrow(
      expect.objectContaining({ status: 400, message: expect.not.stringContaining('c2hvcnQ') }),
    );
  });

  it('of the sandbox signs for one more day after a rotation, also after a restart', async () => {
    const file = memoryFile();
    const { sandbox } = courierWorld({ file });
    const hook = await receiver();
    sandbox.webhooks.add({ url: hook.url });
    const secrets = [sandbox.secret(), sandbox.webhooks.rotate().secret, sandbox.webhooks.rotate().secret];
    sandbox.close();
    const { sandbox: again } = courierWorld({ file });
    again.trigger('order.paid');
    await again.settled();
    expect(signers(hook, secrets)).toEqual([false, true, true]);
    await again.time.advance(24 * hour);
    again.trigger('order.paid');
    await again.settled();
    expect(signers(hook, secrets)).toEqual([false, false, true]);
  });
});
