import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { curlLine, DryRunResult, type DryRunRequest } from '../../src/client/dry-run.ts';
import { rejection } from '../support/thrown.ts';
import { key, raw, rig } from './rig.ts';
import { serve } from './servers.ts';

const run = promisify(execFile);
const [curl, bash] = await Promise.all(
  ['curl', 'bash'].map((program) =>
    run('sh', ['-c', `command -v ${program}`]).then(
      () => true,
      () => false,
    ),
  ),
);

async function plan(call: Promise<unknown>): Promise<DryRunRequest> {
  return (await rejection(call, DryRunResult)).request;
}

describe.skipIf(!curl)('the curl command (skipped without curl)', () => {
  const hostile = `it's "quoted" $HOME \`id\` \\ !x %s\n[1-2]{a,b} & ; # é`;

  it.skipIf(!bash)('escapes control characters for the terminal (skipped without bash)', async () => {
    const body = `\u001b]52;c;cm0=\u0007 it's \\ 7\u007f7 \u009b2J \r \u202e é \u001b1`;
    const service = await serve((_, __, response) => response.end());
    const { client } = await rig('direct', service.url, { dryRun: true });
    const headers = { 'Content-Type': 'text/plain', 'X-Odd': 'a\u009b\u00adb' };
    const line = curlLine(await plan(raw(client, { method: 'POST', path: '/x', headers, body })));
    expect(line).not.toMatch(/[\0-\u001f\u007f-\u009f\u00ad\u202e]/);
    await run('bash', ['-c', line], { env: { PATH: process.env['PATH'], BIZMSG_API_KEY: key } });
    expect(service.seen).toMatchObject([{ body }]);
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof rig>>['client']['raw']>[0]]>([
    ['a GET', { method: 'GET', path: `/x?a=${encodeURIComponent(hostile)}&b=[1-2]{c,d}'` }],
    ['a POST', { method: 'POST', path: '/x', headers: { 'Content-Type': 'text/plain' }, body: hostile }],
    ['a body that starts like a file name', { method: 'POST', path: '/x', body: '@/etc/passwd' }],
    ['JSON', { method: 'PUT', path: '/x', body: JSON.stringify({ hostile }) }],
    ['JSON with white space', { method: 'PUT', path: '/x', body: '{ "n": 12345678901234567890 }' }],
    ['an empty header', { method: 'DELETE', path: '/x', headers: { 'X-Empty': '', 'X-Odd': `a'b"$HOME` } }],
    ['a HEAD', { method: 'HEAD', path: '/x' }],
  ])('sends %s like the client', async (_, request) => {
    const service = await serve((_, __, response) => response.end());
    const planning = await rig('direct', service.url, { dryRun: true });
    const sending = await rig('direct', service.url);
    const line = curlLine(await plan(raw(planning.client, request)));
    await run('sh', ['-c', line], { env: { PATH: process.env['PATH'], BIZMSG_API_KEY: key } });
    await raw(sending.client, request);
    const [ours, theirs] = [service.seen[1], service.seen[0]];
    const { connection: _c, 'content-length': _l, 'content-type': type, ...headers } = ours?.headers ?? {};
    expect(theirs).toMatchObject({ method: ours?.method, url: ours?.url, body: ours?.body, headers });
    expect(type === undefined || theirs?.headers['content-type'] === type).toBe(true);
  });
});
