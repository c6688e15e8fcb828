import { beforeEach, describe, expect, it } from 'vitest';
import { endpoints } from '../../src/contract/endpoints.ts';
import { cli, type Ran } from '../support/cli.ts';
import { callerOf, newHome } from '../support/fake-service.ts';
import { errorIn } from '../support/json-lines.ts';
import { serveShape, type ShapeName, shapes } from '../support/shaped-service.ts';

const names = Object.keys(shapes).filter((name): name is ShapeName => name in shapes);
const send = ['send-template', '+12025550101', 'welcome'];
const create = ['contacts', 'create', '--set', 'phone=+12025550142', '--set', 'name=Ada'];

describe.each(names)('against a service with %s', (name) => {
  let run: (argv: readonly string[], key?: string) => Promise<Ran>;
  let service: Awaited<ReturnType<typeof serveShape>>;
  beforeEach(async () => {
    service = await serveShape(name);
    const home = newHome();
    run = (argv, key) => cli(argv, { home, env: callerOf(service.url, key) });
  });

  it.each([
    { argv: [], stdout: 'msg_1\n' },
    { argv: ['-o', 'json'], stdout: expect.stringContaining('"message_id":"msg_1"') },
    { argv: ['-o', 'id'], stdout: 'msg_1\n' },
    { argv: ['--columns', 'message_id', '-o', 'tsv'], stdout: 'message_id\nmsg_1\n' },
  ])('a send makes one call and prints the message_id with $argv', async ({ argv, stdout }) => {
    expect(await run([...send, ...argv])).toMatchObject({ code: 0, stdout });
    expect(service.seen).toHaveLength(1);
  });

  it.each(['contacts', 'templates', 'campaigns'])('%s have all pages with --all, each record once', async (what) => {
    const { code, stdout, stderr } = await run([what, 'list', '--all', '-o', 'id']);
    const ids = [0, 1, 2].map((index) => `${what.slice(0, -1)}_${index}\n`).join('');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ids, stderr: '' });
  });

  it('a created contact is in the list, and creating it again is not a failure', async () => {
    for (let time = 0; time < 2; time++) expect((await run(create)).code).toBe(0);
    const { stdout } = await run(['contacts', 'list', '--all', '-o', 'ndjson']);
    expect(stdout.match(/\+12025550142/g)).toHaveLength(1);
  });

  it('api prints the body of a GET unchanged', async () => {
    const { code, stdout } = await run(['api', endpoints.listContacts.path]);
    expect([code, Object(JSON.parse(stdout))]).toEqual([0, expect.any(Object)]);
    expect(stdout).toContain('"id":"contact_0","phone":"+12025550111"');
  });

  it.each([
    { what: 'a wrong template', argv: ['send-template', '+12025550101', '404'], exit: 5, done: 'no' },
    { what: 'a wrong body', argv: ['contacts', 'create', '--set', 'name=Ada'], exit: 6, done: 'no' },
    { what: 'a missing scope', argv: ['send-template', '+12025550101', '403'], exit: 4, done: 'no' },
    { what: 'an unknown path', argv: ['api', '/api/public/flows'], exit: 5, done: undefined },
    { what: 'too many requests', argv: [...send.slice(0, 2), '429', '--retries', '0'], exit: 7, done: 'no' },
    { what: 'a failure', argv: ['send-template', '+12025550101', '500'], exit: 13, done: 'unknown' },
  ])('$what ends with $exit', async ({ argv, exit, done }) => {
    const { code, stdout, stderr } = await run([...argv, '-o', 'json']);
    expect([code, stdout, errorIn(stderr)['done']]).toEqual([exit, '', done]);
  });
});
