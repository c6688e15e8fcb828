import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { serve } from './servers.ts';
import { failureFrom, message, raw, rig, ways } from './rig.ts';

const said = 'it is compressed (gzip), although the request did not accept that';

describe.each(ways)('a compressed response, over the %s transport', (way) => {
  const compressed = (status: number, text: string) =>
    serve((_, __, response) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
      response.end(gzipSync(text));
    });

  it('is not requested', async () => {
    const service = await serve((_, __, response) => response.end('[]'));
    const { client } = await rig(way, service.url);
    await client.call('listContacts', undefined);
    await raw(client, { method: 'GET', path: '/x' });
    expect(service.seen.map(({ headers }) => headers['accept-encoding'])).toEqual(['identity', 'identity']);
  });

  it('is reported as unreadable', async () => {
    const { client } = await rig(way, (await compressed(200, '[]')).url);
    const { exit, message: text } = await failureFrom(client.call('listContacts', undefined));
    expect([exit, text]).toEqual(['serviceFault', `the service answered 200, but the answer cannot be read: ${said}`]);
  });

  it('to a message leaves the send unsure', async () => {
    const { client } = await rig(way, (await compressed(200, '{"message_id":"m_1"}')).url);
    const { exit, done, message: text } = await failureFrom(client.call('sendTemplate', message));
    expect([exit, done, text.includes(said)]).toEqual(['unsure', 'unknown', true]);
  });

  it('to a refused request gives no reason', async () => {
    const { client } = await rig(way, (await compressed(400, '{"message":"no"}')).url);
    const { exit, body, message: text } = await failureFrom(client.call('sendTemplate', message));
    expect([exit, body, text]).toEqual([
      'rejected',
      undefined,
      `the service answered 400 Bad Request; the reason cannot be read: ${said}`,
    ]);
  });
});

it.each(['identity', ''])('treats a Content-Encoding of %j as uncompressed', async (encoding) => {
  const { url } = await serve((_, __, response) => response.writeHead(200, { 'Content-Encoding': encoding }).end('{'));
  const { client } = await rig('direct', url);
  expect((await failureFrom(client.call('listContacts', undefined))).message).toContain('it is not JSON');
});
