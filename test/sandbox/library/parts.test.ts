import { createSandbox } from 'bizmsg/sandbox';
import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../src/base/http-request.ts';
import { sent } from '../calls.ts';

describe('the clock', () => {
  it('starts at the beginning of 2026, or at a given time', async () => {
    await using sandbox = createSandbox({ clock: 'manual' });
    await using other = createSandbox({ clock: { at: new Date('2026-05-01T12:00:00Z') } });
    expect(sandbox.clock.now()).toEqual(new Date('2026-01-01T00:00:00Z'));
    await other.clock.advance('1.5h');
    expect(other.clock.now()).toEqual(new Date('2026-05-01T13:30:00Z'));
  });

  it('follows real time by default, and again after it was frozen', async () => {
    await using sandbox = createSandbox();
    sandbox.clock.freeze();
    await sandbox.clock.advance('31d');
    const far = sandbox.clock.now();
    sandbox.clock.real();
    expect([far.getTime() > Date.now(), sandbox.clock.now().getTime() <= Date.now()]).toEqual([true, true]);
  });

  it.each(['5', '-5s', 'soon', -1, Number.NaN, Infinity])('is not advanced by %s', async (span) => {
    await using sandbox = createSandbox();
    const clock: { advance(by: unknown): Promise<unknown> } = sandbox.clock;
    await expect(clock.advance(span)).rejects.toThrow(/^clock.advance: /);
  });
});

describe('an error', () => {
  it.each([
    ['{"plan":"pro"}', 'createSandbox: plan must be one of starter, growth, scale, enterprise'],
    ['{"rate":"10/m"}', 'createSandbox: rate must be an integer, at least 0'],
    ['{"without":"contacts"}', 'createSandbox: without must be an array, not a string'],
    ['{"clock":{"at":"noon"}}', 'createSandbox: clock must be real, manual or { at: a Date or a number }'],
    ['{"seed":true}', 'createSandbox: seed must be a string or a number'],
    ['{"sead":1}', 'createSandbox: sead is unknown; did you mean "seed"?'],
  ])('reports invalid options: %s', (options, message) => {
    expect(() => createSandbox(JSON.parse(options))).toThrow(message);
  });

  it('reports invalid arguments of later calls', async () => {
    await using sandbox = createSandbox();
    const [on, kind] = ['sendTemplate', 'drop'] as const;
    expect(() => sandbox.setPlan(JSON.parse('"pro"'))).toThrow('setPlan: name must be one of starter, ');
    expect(() => sandbox.keys.create(JSON.parse('"all"'))).toThrow('keys.create: scope must be one of read-only, ');
    expect(() => sandbox.webhooks.add({ url: 'hooks' })).toThrow('webhooks.add: a webhook needs a full URL');
    expect(() => Reflect.apply(sandbox.faults.add, undefined, [])).toThrow('faults.add: on is missing');
    expect(() => sandbox.faults.add({ on, effect: { kind } })).toThrow('faults.add: on must not name sendTemplate');
    const reset = (changes: string) => sandbox.faults.add(JSON.parse(`{"effect":{"kind":"reset"},${changes}}`));
    expect(() => reset('"on":"sendTemplate","time":1')).toThrow('faults.add: time is unknown; did you mean "times"?');
    expect(() => reset('"on":"send-template"')).toThrow('did you mean "sendTemplate"?');
    expect(() => sandbox.trigger(JSON.parse('"message.seen"'))).toThrow(
      'trigger: event must be an event; did you mean',
    );
    const contents = { contacts: [{ phone: 'none' }] };
    expect(() => sandbox.load(contents)).toThrow('load: /contacts/0/phone must be "+" followed by digits');
    expect(() => sandbox.trigger('message.read')).toThrow('trigger: there is no message yet');
    await expect(sandbox.listen(JSON.parse('{"port":"4780"}'))).rejects.toThrow('listen: port must be an integer');
    await expect(sandbox.answer(JSON.parse('{}'))).rejects.toThrow('answer: path is missing');
  });
});

it('keeps what it was given, if the caller changes that later', async () => {
  await using sandbox = createSandbox();
  const attributes = { city: { name: 'Oslo' } };
  sandbox.load({ contacts: [{ phone: '+12025550190', attributes }] });
  sandbox.trigger('contact.created', { phone: '+12025550191', attributes });
  attributes.city.name = 'Bergen';
  const kept = { attributes: { city: { name: 'Oslo' } } };
  expect(sandbox.contacts().slice(-2)).toMatchObject([kept, kept]);
  expect(sandbox.events().at(-1)).toMatchObject({ data: kept });
});

it('warns about a live key of the real service', async () => {
  const warnings: string[] = [];
  await using sandbox = createSandbox({ warn: (text) => warnings.push(text) });
  expect(await sent(sandbox, 'sk_live_real')).toMatchObject({ status: 401 });
  expect(warnings).toEqual([expect.stringContaining('a live key of the real service was sent to this sandbox')]);
});

describe('a closed sandbox', () => {
  it('neither answers, listens nor changes, and can be closed again', async () => {
    const sandbox = createSandbox();
    const { url } = await sandbox.listen();
    const opening = sandbox.listen();
    await sandbox.close();
    await sandbox.close();
    const last = (await opening).url;
    for (const address of [url, last])
      await expect(httpRequest(address, { method: 'GET' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    for (const act of [() => sent(sandbox), () => sandbox.listen(), () => sandbox.clock.advance(1)])
      await expect(act()).rejects.toThrow('this sandbox is closed');
    const { trigger, faults, clock, keys, reset } = sandbox;
    for (const change of [() => trigger('contact.created'), faults.clear, clock.freeze, keys.goLive, () => reset()])
      expect(() => change()).toThrow('this sandbox is closed');
    expect([sandbox.messages(), sandbox.events()]).toEqual([[], []]);
  });

  it('may have another server that still runs', async () => {
    await using sandbox = createSandbox();
    const [first, second] = [await sandbox.listen(), await sandbox.listen()];
    await first.close();
    await expect(httpRequest(first.url, { method: 'GET' })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(await httpRequest(second.url, { method: 'GET' })).toMatchObject({ status: 401 });
    await expect(sandbox.listen({ port: second.port })).rejects.toThrow(
      `listen: port ${second.port} is in use; choose`,
    );
  });
});
