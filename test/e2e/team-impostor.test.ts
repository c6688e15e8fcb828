import { createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { bin } from '../support/bin.ts';
import { newHome } from '../support/fake-service.ts';

/** A message of a server, with its type. */
function message(type: string, ...parts: readonly (string | number)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : int32(part))));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const salt = Buffer.from('salt').toString('base64');

/** A server that accepts each password, and collects what it gets after that. */
async function impostor(end: readonly Buffer[]) {
  let received = '';
  const steps = [
    () => message('R', 10, 'SCRAM-SHA-256\0\0'),
    (part: string) => message('R', 11, `r=${/r=([^,]+)/.exec(part)?.[1]}x,s=${salt},i=4096`),
    () => Buffer.concat(end),
  ];
  const answer = (socket: Socket) => {
    const waiting = [...steps];
    socket.on('error', () => {});
    socket.on('data', (part) => {
      const step = waiting.shift();
      if (step) socket.write(step(part.toString('latin1')));
      else received += part.toString('latin1');
    });
  };
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, received: () => received };
}

const welcome = [message('R', 0), message('Z', 'I')];

it.each([
  { proof: 'without a proof', end: welcome },
  { proof: 'with a wrong proof', end: [message('R', 12, 'v=AAAA'), ...welcome] },
])('a server that accepts the password $proof that it knows it is refused', async ({ end }) => {
  const { port, received } = await impostor(end);
  const env = {
    BIZMSG_BASE_URL: 'https://api.example.com',
    BIZMSG_API_KEY: 'sk_live_a1b2c3d4e5f6',
    BIZMSG_TEAM: `postgres://ann:secret@127.0.0.1:${port}/x`,
  };
  const { code, stderr } = await bin(['team', 'status'], { home: newHome(), env });
  expect([code, stderr]).toEqual([3, expect.stringContaining('does not know the password, so it is another server')]);
  expect(received()).not.toContain('SELECT');
});
