import { describe, expect, it } from 'vitest';
import { createClock } from '../../src/sandbox/time/clock.ts';
import type { Exchange } from '../../src/sandbox/exchange.ts';
import { bearing, bodyOf, calls, order, paths, start } from './calls.ts';

it.each([
  ['at once', undefined],
  ['before a late answer', { on: ['sendTemplate', 'createContact'], effect: { kind: 'latency', ms: 1 }, after: true }],
  ['late', { on: ['sendTemplate', 'createContact'], effect: { kind: 'latency', ms: 1 } }],
] as const)(
  'the audit log row of a request has one time, even if the clock advances meanwhile: %s',
  async (_, fault) => {
    let time = start;
    const { sandbox, post } = calls({ clock: createClock({ ahead: 0 }, () => time++) });
    if (fault) sandbox.faults.add(fault);
    await post(paths.send, order);
    await post(paths.contacts, { phone: order.to });
    const [sent, created] = sandbox.requests().map(({ at }) => at);
    expect(sandbox.messages()).toMatchObject([{ sent_at: new Date(sent ?? 0).toISOString() }]);
    const event = sandbox.events().find(({ type }) => type === 'contact.created');
    const contact = sandbox.contacts().find(({ phone }) => phone === order.to);
    expect([event?.at, Date.parse(contact?.created_at ?? '')]).toEqual([created, created]);
    sandbox.close();
  },
);

describe('a body', () => {
  it.each<[string, unknown, string]>([
    ['no to', { ...order, to: undefined }, '#/to'],
    ['no template', { ...order, template: undefined }, '#/template'],
    ['no params', { ...order, params: undefined }, '#/params'],
    ['a param that is no string', { ...order, params: ['Ada', 7] }, '#/params/1'],
    ['too few params', { ...order, params: ['Ada'] }, '#/params'],
    ['too many params', { ...order, params: ['Ada', 'b', 'c'] }, '#/params'],
    ['an array', [order], '#'],
    ['null', null, '#'],
  ])('of a send with %s is 400 with a pointer to it', async (_, body, pointer) => {
    const { post, sandbox } = calls();
    const reply = await post(paths.send, body);
    expect(reply).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(bodyOf(reply)).toMatchObject({ title: 'Bad Request', status: 400, errors: [{ pointer }] });
    expect(sandbox.messages()).toEqual([]);
  });

  it.each([
    ['no phone', { name: 'Ada' }, '#/phone'],
    ['a name that is no string', { phone: '+1', name: null }, '#/name'],
    ['a tag that is no string', { phone: '+1', tags: [1] }, '#/tags/0'],
    ['attributes that are no object', { phone: '+1', attributes: [] }, '#/attributes'],
  ])('of a contact with %s is 400', async (_, body, pointer) => {
    const { post, sandbox } = calls();
    const reply = await post(paths.contacts, body);
    expect(bodyOf(reply)).toMatchObject({ status: 400, errors: [{ pointer }] });
    expect(sandbox.contacts()).toHaveLength(5);
  });

  const large = JSON.stringify({ ...order, padding: 'x'.repeat(1_048_576) });
  it.each<[string, string | undefined, Exchange['body']]>([
    ['that is not JSON', 'application/json', '{"to":'],
    ['that is empty', 'application/json', ''],
    ['that is not UTF-8', 'application/json', new Uint8Array([0x22, 0xff, 0x22])],
    ['that is too large', 'application/json', large],
    ['that nests without end', 'application/json', `{"to":${'['.repeat(150_000)}${']'.repeat(150_000)}}`],
    ['of another content type', 'text/plain', JSON.stringify(order)],
    ['without a content type', undefined, JSON.stringify(order)],
  ])('%s is 400', async (_, contentType, body) => {
    const { post, sandbox } = calls();
    const headers = { ...bearing(sandbox.keys.sandbox), 'content-type': contentType };
    const reply = await post(paths.send, undefined, { headers, body });
    expect(bodyOf(reply)).toMatchObject({ title: 'Bad Request', status: 400 });
    expect(sandbox.audit(sandbox.keys.sandbox)).toMatchObject([{ status: 400 }]);
  });

  it('can be bytes, and name its charset', async () => {
    const { post, sandbox } = calls();
    const headers = { ...bearing(sandbox.keys.sandbox), 'content-type': 'Application/JSON; charset=utf-8' };
    const body = new TextEncoder().encode(JSON.stringify(order));
    expect(await post(paths.send, undefined, { headers, body })).toMatchObject({ status: 200 });
  });
});

it('a path can have the absolute form', async () => {
  expect(await calls().get(`http://127.0.0.1:4780${paths.contacts}?limit=1`)).toMatchObject({ status: 200 });
});
