import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { batch, phoneOf, writePeople } from '../e2e/runs-rig.ts';
import { openService } from '../support/service.ts';
import { errorIn } from '../support/json-lines.ts';
import { teamSecret } from '../support/team.ts';
import { machineOf, missingPostgres, newTeam } from './rig.ts';

const single = ['send-template', phoneOf(1), 'welcome', '-p', 'Ada', '--yes', '-o', 'json'];

function message(type: string, ...parts: readonly (string | Buffer | number)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => (typeof part === 'number' ? int32(part) : Buffer.from(part))));
  return Buffer.concat([Buffer.from(type), int32(content.length + 4), content]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const welcome = Buffer.concat([message('R', 0), message('Z', 'I')]);
const nest = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

/** One column of type text. */
function column(name: string, type = 25): Buffer {
  const rest = Buffer.alloc(18);
  rest.writeInt32BE(type, 6);
  return message('T', Buffer.from([0, 1]), `${name}\0`, rest);
}

function row(value: string): Buffer {
  return message('D', Buffer.from([0, 1]), Buffer.byteLength(value), value);
}

const done = Buffer.concat([message('C', 'SELECT 1\0'), message('Z', 'I')]);

/** What a server sends after a part from the client; the first one is its first message. */
const servers: Readonly<Record<string, (socket: Socket, part: number) => void>> = {
  'closes at once': (socket) => socket.destroy(),
  'speaks another protocol': (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'sends zeros': (socket) => void socket.write(Buffer.alloc(1_000)),
  'announces a huge message': (socket) => void socket.write(Buffer.from([82, 127, 255, 255, 255])),
  'wants an unknown way to log in': (socket) => void socket.write(message('R', 99)),
  'starts a wrong handshake': (socket) =>
    void socket.write(Buffer.concat([message('R', 10, 'SCRAM-SHA-256\0\0'), message('R', 11, 'x')])),
  'confirms a wrong handshake': (socket) =>
    void socket.write(Buffer.concat([message('R', 10, 'SCRAM-SHA-256\0\0'), message('R', 12, 'v=x')])),
  'sends an error without a code': (socket) => void socket.write(message('E', 'Mtouch y; rm -rf /\0\0')),
  'answers with nothing': (socket, part) => void socket.write(part === 0 ? welcome : message('Z', 'I')),
  'answers with another table': (socket, part) =>
    void socket.write(part === 0 ? welcome : Buffer.concat([column('now'), row('a;touch y;#'), done])),
  'answers with deep nesting': (socket, part) =>
    void socket.write(part === 0 ? welcome : Buffer.concat([column('tick'), row(nest), done])),
  'answers with unknown messages': (socket, part) => void socket.write(part === 0 ? welcome : message('?', 'x')),
  'answers with a row before its columns': (socket, part) => void socket.write(part === 0 ? welcome : row('x')),
};

describe.each(Object.entries(servers))('a server that %s', (_, act) => {
  it('stops a command with one sentence', async () => {
    const server = createServer((socket) => {
      let parts = 0;
      socket.on('error', () => {});
      socket.on('data', () => act(socket, parts++));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const service = await openService();
    onTestFinished(() => service.close());
    const line = `postgres://bizmsg:geheim@127.0.0.1:${port}/x?connect_timeout=2#${teamSecret}`;
    const machine = machineOf(service, line);
    const { code, stderr } = await machine.bin(single);
    expect([3, 9]).toContain(code);
    expect(['team-unreachable', 'team-damaged', 'team-refused', 'team-secret']).toContain(errorIn(stderr)['code']);
    expect(stderr).not.toMatch(/touch|Postgres\.js|geheim/);
    expect(service.asked).toEqual([]);
  });
});

describe.skipIf(missingPostgres !== undefined)('a database with odd values', () => {
  it.each([
    ['a path', `UPDATE run SET id = '../../x'`],
    ['a command', `UPDATE run SET id = 'a;touch y;#'`],
    ['a newline', `UPDATE run SET id = E'a\\nb'`],
    ['deep nesting', `UPDATE run SET per_columns = repeat('[', 200000) || repeat(']', 200000)`],
    ['no JSON', `UPDATE run SET per_columns = '{'`],
    ['a huge value', `UPDATE run SET template = repeat('x', 5000000)`],
  ])('such as %s stops commands, and changes nothing here', async (_, change) => {
    const team = await newTeam();
    const machine = team.machine();
    expect((await machine.bin(batch(writePeople(machine, 3), '--job', 'welcome'))).code).toBe(0);
    const before = [readdirSync(machine.home), readdirSync(machine.state)];
    team.sql(change);
    for (const words of [
      ['runs', 'list', '-o', 'json'],
      batch(writePeople(machine, 3), '--job', 'welcome'),
      ['runs', 'forget', '--finished', '--yes', '-o', 'json'],
    ]) {
      const { code, stderr } = await machine.bin(words);
      expect([code, errorIn(stderr)['code']]).toEqual([3, 'team-damaged']);
    }
    expect([readdirSync(machine.home), readdirSync(machine.state)]).toEqual(before);
    expect(existsSync(join(machine.home, 'y'))).toBe(false);
  });

  it('such as a job that is a command prints a hint that runs nothing', async () => {
    const team = await newTeam(({ phone }) => ({ reply: phone === phoneOf(2) ? 401 : 200 }));
    const machine = team.machine();
    expect((await machine.bin(batch(writePeople(machine, 3), '--job', 'welcome'))).code).toBe(4);
    team.sql(`UPDATE run SET job = '$(touch y); touch y'`);
    const { stderr } = await machine.bin(batch(writePeople(machine, 3)));
    expect(errorIn(stderr)['hint']).toContain(`--job '$(touch y); touch y'`);
  });
});
