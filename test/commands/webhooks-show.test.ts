import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readRaw, writeRaw } from '../../src/webhooks/event/raw.ts';
import { modeOf, ownFile } from '../support/system.ts';
import { listener } from './webhooks-rig.ts';

const body = '{"type":"message.read","n":12345678901234567890,"to":"+12025550101","list":[],"o":{"a":[1,{}]}}';

describe('webhooks show', () => {
  it('shows an event with its headers, its indented body and its forwards', async () => {
    const { send, journal, run } = await listener();
    const id = await send(body, [['X-Twice', '1'], ['x-twice', '2']], '/hooks?a=1'); // prettier-ignore
    await journal.forwarded({ event: id, url: 'http://127.0.0.1:3000/', ms: 12, status: 503 });
    const { code, stdout } = await run(`webhooks show ${id} --no-color`, { terminal: 80 });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${id}  \\S+Z  message.read\nfrom 127.0.0.1 to port \\d+: \\+12025550101\n`));
    expect(stdout).toContain('\nPOST /hooks?a=1\nHost: ');
    expect(stdout).toContain('\nX-Twice: 1\nx-twice: 2\n');
    const fields = '"n": 12345678901234567890,\n  "to": "+12025550101",\n  "list": [],\n  "o": {\n    "a": [\n      1,';
    expect(stdout).toContain(`\n\n{\n  "type": "message.read",\n  ${fields}\n      {}\n    ]\n  }\n}\n`);
    expect(stdout).toMatch(/\nforwarded {2}\S+Z {2}http:\/\/127.0.0.1:3000\/ {2}503 {2}12 ms\n$/);
  });

  it('shows the lines that the handler answered with', async () => {
    const { send, journal, run } = await listener();
    const event = await send(body);
    const forwarded = { event, url: 'http://127.0.0.1:3000/', ms: 12 };
    await journal.forwarded({ ...forwarded, status: 204 });
    await journal.forwarded({ ...forwarded, status: 500, body: 'no database\nforwarded  \u001b[31mok\n' });
    for (const options of [{ terminal: 80 }, {}]) {
      const { stdout } = await run(`webhooks show ${event} --no-color`, options);
      expect(stdout).toMatch(/ {2}500 {2}12 ms\n {2}no database\n {2}forwarded {2}ok\nforwarded .+ {2}204 {2}12 ms\n$/);
      expect(stdout).not.toContain('\u001b');
    }
  });

  it('pipes the body unchanged, and prints everything as JSON', async () => {
    const { send, run } = await listener();
    const id = await send(body);
    expect((await run(`webhooks show ${id}`)).stdout).toContain(`\n\n${body}\n`);
    const { stdout } = await run(`webhooks show ${id} -o json`);
    expect(stdout).toContain(`"body":${body}`);
    const fields: unknown = JSON.parse(stdout);
    expect(fields).toMatchObject({ id, name: 'message.read', method: 'POST', path: '/hooks', body: { list: [] } });
  });

  it.each([
    ['text', Buffer.from('two\nlines \u001b[31m'), 'two\nlines '],
    ['bytes', Buffer.from([0xff, 0xfe]), '2 bytes that are not text'],
    ['what is packed', gzipSync('{"a":1}'), '{\n  "a": 1\n}'],
  ])('shows a body safely on a terminal: %s', async (what, bytes, shown) => {
    const { send, run } = await listener();
    await send(bytes, what === 'what is packed' ? [['Content-Encoding', 'gzip']] : []);
    expect((await run('webhooks show --no-color', { terminal: 80 })).stdout).toContain(`\n\n${shown}`);
  });

  it('accepts a prefix of an id in any case, prefers the exact id, and defaults to the newest event', async () => {
    const { send, run } = await listener();
    await send('1');
    expect((await run('webhooks show E -o id')).stdout).toBe('e1\n');
    for (let number = 2; number <= 11; number++) await send(String(number));
    expect((await run('webhooks show e1 -o id')).stdout).toBe('e1\n');
    expect((await run('webhooks show -o id')).stdout).toBe('e11\n');
  });

  it('accepts the id of the sender', async () => {
    const { send, run } = await listener();
    const id = await send(body, [['webhook-id', 'evt_Of_Theirs']]);
    await send(body);
    expect((await run('webhooks show evt_Of_Theirs')).stdout.startsWith(id)).toBe(true);
  });

  it('refuses an ambiguous prefix', async () => {
    const { send, run } = await listener();
    const ids = [await send('1'), await send('2')];
    const { code, stderr } = await run('webhooks show e');
    expect([code, ids.filter((id) => !stderr.includes(id))]).toEqual([2, []]);
  });
});

describe('webhooks show --raw', () => {
  const bytes = Buffer.from([0x7b, 0x0d, 0x0a, 0x0d, 0x0a, 0xff, 0x00, 0x0a]);

  it('writes a delivery byte for byte', async () => {
    const { send, home, run } = await listener();
    const id = await send(bytes, [['X-Name', 'é'], ['x-name', '']], '/a?b=c'); // prettier-ignore
    const file = join(home, 'event.http');
    const { code, stdout } = await run(`webhooks show ${id} --raw ${file}`);
    expect([code, stdout]).toEqual([0, `Wrote ${id} to ${file}\n`]);
    expect(modeOf(file)).toBe(ownFile);
    const raw = readFileSync(file);
    const head = /^POST \/a\?b=c HTTP\/1.1\r\nHost: \S+\r\nX-Name: é\r\nx-name: \r\nContent-Length: 8\r\n/;
    expect(raw.toString('latin1')).toMatch(head);
    expect(raw.subarray(-bytes.length)).toEqual(bytes);
    const delivery = readRaw(raw);
    expect(delivery).toMatchObject({ method: 'POST', path: '/a?b=c', body: bytes });
    expect(delivery && writeRaw(delivery)).toEqual(raw);
  });

  it('overwrites a file only after confirmation', async () => {
    const { send, home, run } = await listener();
    const id = await send('{}');
    const file = join(home, 'event.http');
    writeFileSync(file, 'mine');
    const { code, stderr } = await run(`webhooks show --raw ${file}`);
    expect([code, stderr]).toEqual([11, expect.stringContaining(`Overwrite ${file}?`)]);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    expect((await run(`webhooks show --raw ${file} --yes`)).stdout).toBe(`Wrote ${id} to ${file}\n`);
    expect(readFileSync(file, 'utf8')).toMatch(/^POST /);
  });
});
