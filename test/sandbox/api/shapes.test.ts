import { describe, expect, it } from 'vitest';
import { isRecord } from '../../../src/contract/readers.ts';
import { alternatives, defaultShape, shapeNamed } from '../../../src/sandbox/api/shapes.ts';
import { bodyOf, calls, order, paths } from '../calls.ts';

const seeds = Array.from({ length: 60 }, (_, index) => `vary:${index}`);

describe('a shape', () => {
  it('by default uses the first alternative everywhere', () => {
    const own = Object.entries(alternatives).map(([name, options]) => [name, options[0]]);
    expect(shapeNamed('default')).toEqual(Object.fromEntries(own));
    expect(shapeNamed('default')).toBe(defaultShape);
  });

  it('that varies is the same for the same seed', () => {
    expect(shapeNamed('vary:x')).toEqual(shapeNamed('vary:x'));
  });

  it('that varies covers every alternative in a few seeds', () => {
    const drawn = seeds.map((seed) => Object.entries(shapeNamed(seed)));
    for (const [name, options] of Object.entries(alternatives)) {
      const seen = new Set(drawn.flat().flatMap(([drawnName, value]) => (drawnName === name ? [value] : [])));
      expect({ name, seen }).toEqual({ name, seen: new Set<unknown>(options) });
    }
  });

  it.each(['Default', 'vary', 'vary:', ''])('named "%s" is rejected', (name) => {
    expect(() => shapeNamed(name)).toThrow(expect.objectContaining({ exit: 'usage' }));
  });
});

describe('bare', () => {
  it('answers with bare arrays, a few renamed fields and simple errors', async () => {
    const { get, post, sandbox } = calls({ shape: 'bare', rate: 4 });
    const replies = [
      await get(`${paths.contacts}?limit=1`),
      await post(paths.send, order),
      await post(paths.contacts, { phone: '+12025550142', name: 'Ada' }),
      await get('/nowhere'),
      await get(paths.contacts),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 404, 429]);
    expect(replies.map(bodyOf)).toEqual([
      [{ contact_id: 'con_sandbox_1', number: '+12025550111', name: 'Grace Hopper' }],
      { message_id: expect.stringMatching(/^msg_sandbox_/) },
      { contact_id: expect.stringMatching(/^con_sandbox_/), number: '+12025550142', name: 'Ada' },
      { message: 'unknown path' },
      { message: expect.stringContaining('4 requests') },
    ]);
    const headers = replies.flatMap((reply) => Object.keys(reply.headers));
    expect(headers.filter((name) => /rate|retry/.test(name))).toEqual([]);
    expect(sandbox.contacts()).toHaveLength(6);
  });
});

describe.each(['default', 'bare', ...seeds])('in shape %s', (shape) => {
  it('the same requests work, and the documented behavior is the same', async () => {
    const { get, post, sandbox, clock } = calls({ shape });
    const { message_id } = { message_id: undefined, ...Object(bodyOf(await post(paths.send, order))) };
    expect(message_id).toMatch(/^msg_sandbox_/);
    expect([200, 201]).toContain((await post(paths.contacts, { phone: '+12025550142', name: 'Ada' })).status);
    expect((await get(paths.contacts)).body).toContain('"Ada"');
    const failures = [
      await post(paths.send, {}),
      await get(paths.contacts, { headers: {} }),
      await post(paths.send, { ...order, template: 'none_such' }),
      await get('/api/public/flows'),
    ];
    sandbox.setPlan({ name: 'starter', perMinute: 1, without: ['listContacts'] });
    failures.push(await get(paths.contacts), await get(paths.contacts));
    expect(failures.map(({ status }) => status)).toEqual([400, 401, 404, 404, 403, 429]);
    await clock.advance(60_000);
    expect(JSON.stringify(sandbox.events())).toContain(message_id);
  });

  it('a list answer has exactly one array of objects, and every page is reachable', async () => {
    const { get } = calls({ shape });
    const found: unknown[] = [];
    for (let target = `${paths.templates}?limit=3`, pages = 0; pages < 5; pages++) {
      const reply = await get(target);
      const body = bodyOf(reply);
      const lists = arraysOfObjects(body);
      expect(lists.length).toBeLessThanOrEqual(1);
      found.push(...(lists[0] ?? []));
      const link = /<(.*)>/.exec(reply.headers['link'] ?? '')?.[1];
      const cursor = /"next_cursor":"([^"]+)"/.exec(reply.body)?.[1];
      if (link === undefined && cursor === undefined) break;
      target = link === undefined ? `${paths.templates}?limit=3&cursor=${cursor}` : paths.templates + link;
    }
    expect(found).toHaveLength(shapeNamed(shape).paging === 'none' ? 3 : 7);
  });
});

describe('a shape varies', () => {
  const shapes = seeds.map((name) => ({ name, drawn: shapeNamed(name) }));
  const find = (key: keyof typeof alternatives, value: unknown) =>
    shapes.find(({ drawn }) => drawn[key] === value)?.name ?? 'none';

  it.each([
    ['problem', /^\{"type":"about:blank"/],
    ['message', /^\{"message":/],
    ['nested', /^\{"error":\{"code":"not_found"/],
    ['nothing', /^$/],
    ['html', /^<!doctype html><title>Not Found/],
  ])('errors as %s', async (kind, body) => {
    expect((await calls({ shape: find('error', kind) }).get('/nowhere')).body).toMatch(body);
  });

  it.each([
    ['record', /"Ada"/],
    ['wrapped', /^\{"ok":true,"contact":\{.*"Ada"/],
    ['empty object', /^\{\}$/],
    ['nothing', /^$/],
  ])('the answer to a new contact as %s', async (kind, body) => {
    const shape = shapes.find(({ drawn }) => drawn.created === kind && drawn.fields !== 'minimal')?.name ?? 'none';
    expect((await calls({ shape }).post(paths.contacts, { phone: '+1', name: 'Ada' })).body).toMatch(body);
  });

  it.each([
    ['draft', '60'],
    ['none', undefined],
    ['seconds', '60'],
    ['date', 'Fri, 01 May 2026 12:01:00 GMT'],
  ])('Retry-After with rate headers %s', async (kind, value) => {
    const { get } = calls({ shape: find('rate', kind), rate: 0 });
    expect((await get(paths.contacts)).headers['retry-after']).toBe(value);
  });

  it.each([
    [429, 429],
    [403, 403],
    ['accepted', 200],
  ])('the answer when the month is used up: %s', async (kind, status) => {
    const { post } = calls({ shape: find('monthUsedUp', kind), monthly: 0 });
    expect(await post(paths.send, order)).toMatchObject({ status });
  });

  it.each([403, 401])('the status %i for a missing scope', async (status) => {
    const { get, sandbox } = calls({ shape: find('scopeRefusal', status) });
    const { text } = sandbox.keys.create('send-only');
    expect(await get(paths.contacts, { headers: { authorization: `Bearer ${text}` } })).toMatchObject({ status });
  });

  it.each(['lower', 'upper'])('statuses in %s case', async (letters) => {
    const { body } = await calls({ shape: find('letters', letters) }).get(paths.templates);
    expect(body).toMatch(letters === 'lower' ? /"approved"/ : /"APPROVED"/);
  });

  it.each([
    ['type', ['type', 'timestamp', 'data']],
    ['event', ['event', 'id', 'occurred_at', 'payload']],
    ['extra fields', ['type', 'timestamp', 'data', 'api_version', 'account']],
  ])('payloads as %s', async (kind, fields) => {
    const { post, sandbox } = calls({ shape: find('payload', kind) });
    await post(paths.contacts, { phone: '+1' });
    expect(sandbox.events().map(({ payload }) => Object.keys(payload))).toEqual([fields]);
  });
});

function arraysOfObjects(value: unknown): unknown[][] {
  if (Array.isArray(value)) return value.some(isRecord) ? [value] : [];
  return isRecord(value) ? Object.values(value).flatMap(arraysOfObjects) : [];
}
