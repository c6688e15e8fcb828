import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { raw, served } from './served.ts';

it('survives an aborted CONNECT', async () => {
  await using server = await served();
  const socket = connect(server.port, '127.0.0.1');
  socket.write('CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n');
  await once(socket, 'data');
  socket.resetAndDestroy();
  await once(socket, 'close');
  expect(await raw(server.port, 'GET / HTTP/1.0\r\n\r\n')).toContain('401');
});
